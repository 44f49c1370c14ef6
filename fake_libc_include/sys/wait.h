#ifndef FAKE_SYS_WAIT_H
#define FAKE_SYS_WAIT_H

#include <signal.h>
#include <sys/types.h>

typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
#define WNOHANG 1
#define WUNTRACED 2
#define WSTOPPED 2
#define WEXITED 4
#define WCONTINUED 8
#define WNOWAIT 0x01000000
#define WEXITSTATUS(status) (((status) >> 8) & 0xFF)
#define WTERMSIG(status) ((status) & 0x7F)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) ((signed char)(WTERMSIG(status) + 1) >> 1 > 0)
#define WIFSTOPPED(status) (((status) & 0xFF) == 0x7F)
#define WIFCONTINUED(status) ((status) == 0xFFFF)
#define WCOREDUMP(status) ((status) & 0x80)

pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
int waitid(idtype_t, id_t, siginfo_t *, int);

#endif
