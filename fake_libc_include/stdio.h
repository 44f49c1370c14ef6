#ifndef FAKE_STDIO_H
#define FAKE_STDIO_H

#include <_size_t.h>
#include <stdarg.h>

/* Types and streams */
typedef long ssize_t, off_t;
typedef struct _IO_FILE FILE;
typedef struct { long at; } fpos_t;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr

/* Constants */
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define P_tmpdir "/tmp"
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2

/* Files */
FILE *fopen(const char *, const char *);
FILE *freopen(const char *, const char *, FILE *);
FILE *fdopen(int, const char *);
FILE *fmemopen(void *, size_t, const char *);
FILE *open_memstream(char **, size_t *);
FILE *popen(const char *, const char *);
FILE *tmpfile(void);
char *tmpnam(char *);
char *tempnam(const char *, const char *);
int pclose(FILE *);
int fclose(FILE *);
int fflush(FILE *);
int fileno(FILE *);
int remove(const char *);
int rename(const char *, const char *);
int setvbuf(FILE *, char *, int, size_t);
void setbuf(FILE *, char *);
void setlinebuf(FILE *);

/* Formatted */
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int dprintf(int, const char *, ...);
int scanf(const char *, ...);
int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int vdprintf(int, const char *, va_list);
#include <_vprintf.h>
#ifdef _GNU_SOURCE
int asprintf(char * *, const char *, ...);
int vasprintf(char * *, const char *, va_list);
#endif

/* Characters and lines */
int fgetc(FILE *);
int getc(FILE *);
int getchar(void);
int getc_unlocked(FILE *);
int getchar_unlocked(void);
int ungetc(int, FILE *);
int fputc(int, FILE *);
int putc(int, FILE *);
int putchar(int);
int putc_unlocked(int, FILE *);
int putchar_unlocked(int);
int fputs(const char *, FILE *);
int puts(const char *);
char *fgets(char *, int, FILE *);
ssize_t getline(char * *, size_t *, FILE *);
ssize_t getdelim(char * *, size_t *, int, FILE *);

/* Blocks and positions */
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int fseek(FILE *, long, int);
int fseeko(FILE *, off_t, int);
long ftell(FILE *);
off_t ftello(FILE *);
void rewind(FILE *);
int fgetpos(FILE *, fpos_t *);
int fsetpos(FILE *, const fpos_t *);

/* States */
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
void perror(const char *);
void flockfile(FILE *);
int ftrylockfile(FILE *);
void funlockfile(FILE *);

#endif
