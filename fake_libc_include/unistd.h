#ifndef FAKE_UNISTD_H
#define FAKE_UNISTD_H

#include <_getopt.h>
#include <_size_t.h>

/* Types and constants */
typedef int pid_t;
typedef unsigned int uid_t, gid_t, useconds_t;
typedef long ssize_t, off_t;
typedef __INTPTR_TYPE__ intptr_t;
extern char **environ;
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
#define _POSIX_MONOTONIC_CLOCK 0
#define _POSIX_THREADS 200809L
#define _SC_ARG_MAX 0
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#define _SC_AVPHYS_PAGES 86
#define _SC_HOST_NAME_MAX 180
#define _SC_LEVEL1_DCACHE_LINESIZE 190
#define _PC_NAME_MAX 3
#define _PC_PATH_MAX 4

/* Files */
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
off_t lseek(int, off_t, int);
int close(int);
int dup(int);
int dup2(int, int);
int pipe(int *);
int access(const char *, int);
int unlink(const char *);
int link(const char *, const char *);
int symlink(const char *, const char *);
ssize_t readlink(const char *, char *, size_t);
int rmdir(const char *);
int chdir(const char *);
int fchdir(int);
char *getcwd(char *, size_t);
char *get_current_dir_name(void);
int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int truncate(const char *, off_t);
int ftruncate(int, off_t);
int fsync(int);
int fdatasync(int);
void sync(void);
int lockf(int, int, off_t);
int isatty(int);
char *ttyname(int);

/* Processes */
pid_t fork(void);
pid_t vfork(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t);
pid_t setsid(void);
int setpgid(pid_t, pid_t);
int execl(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execv(const char *, char *const *);
int execve(const char *, char *const *, char *const *);
int execvp(const char *, char *const *);
int nice(int);
_Noreturn void _exit(int);

/* Users and the machine */
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t);
int setgid(gid_t);
char *getlogin(void);
int gethostname(char *, size_t);
int getpagesize(void);
long sysconf(int);
long pathconf(const char *, int);
void *sbrk(intptr_t);
int brk(void *);
long syscall(long, ...);

/* Waiting */
unsigned int sleep(unsigned int);
unsigned int alarm(unsigned int);
int usleep(useconds_t);
int pause(void);

#endif
