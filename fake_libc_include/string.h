#ifndef FAKE_STRING_H
#define FAKE_STRING_H

#include <_size_t.h>
#include <strings.h>

/* Memory */
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memchr(const void *, int, size_t);
void *memccpy(void *, const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void explicit_bzero(void *, size_t);

/* Copying and joining */
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *stpcpy(char *, const char *);
char *stpncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
char *strdup(const char *);
char *strndup(const char *, size_t);
size_t strxfrm(char *, const char *, size_t);

/* Comparing and searching */
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
char *strpbrk(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);

/* Splitting, and names of errors and signals */
char *strtok(char *, const char *);
char *strtok_r(char *, const char *, char * *);
char *strsep(char * *, const char *);
char *strerror(int);
char *strsignal(int);

#ifdef _GNU_SOURCE
#include <alloca.h>
#define strdupa(text) strcpy(alloca(strlen(text) + 1), text)
char *strerror_r(int, char *, size_t);
char *strcasestr(const char *, const char *);
char *strchrnul(const char *, int);
void *memmem(const void *, size_t, const void *, size_t);
void *memrchr(const void *, int, size_t);
void *mempcpy(void *, const void *, size_t);
void *rawmemchr(const void *, int);
int strverscmp(const char *, const char *);
#else
int strerror_r(int, char *, size_t);
#endif

#endif
