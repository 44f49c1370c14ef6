#ifndef FAKE_SYS_TIMEB_H
#define FAKE_SYS_TIMEB_H

typedef long time_t;
struct timeb { time_t time; unsigned short millitm; short timezone, dstflag; };

int ftime(struct timeb *);

#endif
