#ifndef FAKE_STDLIB_H
#define FAKE_STDLIB_H

#include <alloca.h>
#include <sys/types.h>

/* Types and constants */
typedef __WCHAR_TYPE__ wchar_t;
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)6)

/* Memory */
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *reallocarray(void *, size_t, size_t);
void *aligned_alloc(size_t, size_t);
void *valloc(size_t);
int posix_memalign(void **, size_t, size_t);
void free(void *);

/* Numbers from text */
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *, char * *, int);
long long strtoll(const char *, char * *, int);
unsigned long strtoul(const char *, char * *, int);
unsigned long long strtoull(const char *, char * *, int);
float strtof(const char *, char * *);
double strtod(const char *, char * *);
long double strtold(const char *, char * *);

/* Arithmetic */
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);

/* Random numbers */
int rand(void);
int rand_r(unsigned int *);
void srand(unsigned int);
long random(void);
void srandom(unsigned int);
char *initstate(unsigned int, char *, size_t);
char *setstate(char *);
double drand48(void);
double erand48(unsigned short *);
long lrand48(void);
long nrand48(unsigned short *);
long mrand48(void);
void srand48(long);
unsigned short *seed48(unsigned short *);

/* Searching and sorting */
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#ifdef _GNU_SOURCE
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
#endif

/* The process and its environment */
_Noreturn void abort(void);
_Noreturn void exit(int);
_Noreturn void _Exit(int);
_Noreturn void quick_exit(int);
int atexit(void (*)(void));
int at_quick_exit(void (*)(void));
int system(const char *);
char *getenv(const char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
int putenv(char *);
int clearenv(void);
int getloadavg(double *, int);
#ifdef _GNU_SOURCE
char *secure_getenv(const char *);
#endif

/* Files */
int mkstemp(char *);
int mkstemps(char *, int);
char *mkdtemp(char *);
char *mktemp(char *);
char *realpath(const char *, char *);

/* Multibyte characters */
int mblen(const char *, size_t);
int mbtowc(wchar_t *, const char *, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *, const char *, size_t);
size_t wcstombs(char *, const wchar_t *, size_t);

#endif
