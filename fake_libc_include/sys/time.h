#ifndef FAKE_SYS_TIME_H
#define FAKE_SYS_TIME_H

#include <_time_types.h>
#include <sys/select.h>

/* Types and constants */
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

/* Functions */
int gettimeofday(struct timeval *, void *);
int settimeofday(const struct timeval *, const struct timezone *);
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *, struct itimerval *);
int utimes(const char *, const struct timeval *);

/* Arithmetic */
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, op) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op (b)->tv_usec : (a)->tv_sec op (b)->tv_sec)
#define timeradd(a, b, sum) \
    do { \
        (sum)->tv_sec = (a)->tv_sec + (b)->tv_sec; \
        (sum)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
        if ((sum)->tv_usec >= 1000000) { ++(sum)->tv_sec; (sum)->tv_usec -= 1000000; } \
    } while (0)
#define timersub(a, b, difference) \
    do { \
        (difference)->tv_sec = (a)->tv_sec - (b)->tv_sec; \
        (difference)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
        if ((difference)->tv_usec < 0) { --(difference)->tv_sec; (difference)->tv_usec += 1000000; } \
    } while (0)

#endif
