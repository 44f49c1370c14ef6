#ifndef FAKE_ERR_H
#define FAKE_ERR_H

#include <stdarg.h>

_Noreturn void err(int, const char *, ...);
_Noreturn void errx(int, const char *, ...);
_Noreturn void verr(int, const char *, va_list);
_Noreturn void verrx(int, const char *, va_list);
void warn(const char *, ...);
void warnx(const char *, ...);
void vwarn(const char *, va_list);
void vwarnx(const char *, va_list);

#endif
