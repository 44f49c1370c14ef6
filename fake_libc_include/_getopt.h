#ifndef FAKE_GETOPT_H
#define FAKE_GETOPT_H

/* What unistd.h and getopt.h have in common */
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);

#endif
