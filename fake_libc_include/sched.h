#ifndef FAKE_SCHED_H
#define FAKE_SCHED_H

#include <_size_t.h>
#include <_time_types.h>

typedef int pid_t;
struct sched_param { int sched_priority; };
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2

int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_getparam(pid_t, struct sched_param *);
int sched_setparam(pid_t, const struct sched_param *);
int sched_getscheduler(pid_t);
int sched_setscheduler(pid_t, int, const struct sched_param *);

/* Binding to processors */
#ifdef _GNU_SOURCE
#define CPU_SETSIZE 1024
typedef struct { unsigned long bits[CPU_SETSIZE / (8 * sizeof(unsigned long))]; } cpu_set_t;
#define CPU_ZERO(set) ((void)(*(set) = (cpu_set_t){ { 0 } }))
#define CPU_SET(cpu, set) ((void)((set)->bits[(cpu) / 64] |= 1UL << ((cpu) % 64)))
#define CPU_CLR(cpu, set) ((void)((set)->bits[(cpu) / 64] &= ~(1UL << ((cpu) % 64))))
#define CPU_ISSET(cpu, set) (((set)->bits[(cpu) / 64] >> ((cpu) % 64) & 1UL) != 0)
int sched_getcpu(void);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
#endif

#endif
