#ifndef FAKE_TIME_TYPES_H
#define FAKE_TIME_TYPES_H

/* What time.h, sys/time.h and those who wait or stamp have in common */
typedef long time_t, suseconds_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };

#endif
