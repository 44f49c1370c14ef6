#ifndef FAKE_STDARG_H
#define FAKE_STDARG_H

/* An array of one, as on x86-64: a function that is given a va_list moves
 * its caller's. va_arg is an ordinary expression, which any C parser reads. */
typedef struct fake_va_list { void *next; } va_list[1];

void fake_va_start(va_list);
void *fake_va_arg(va_list, unsigned long);
void fake_va_copy(va_list, va_list);
void fake_va_end(va_list);

#define va_start(list, last) ((void)(last), fake_va_start(list))
#define va_arg(list, type) (*(type *)fake_va_arg(list, sizeof(type)))
#define va_copy(to, from) fake_va_copy(to, from)
#define va_end(list) fake_va_end(list)

#endif
