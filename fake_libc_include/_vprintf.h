#ifndef FAKE_VPRINTF_H
#define FAKE_VPRINTF_H

#include <stdio.h>

/* The compiler knows these functions with its own va_list, and would warn;
 * this line makes it take the declarations as they are. */
#pragma GCC system_header

int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int vscanf(const char *, va_list);
int vfscanf(FILE *, const char *, va_list);
int vsscanf(const char *, const char *, va_list);

#endif
