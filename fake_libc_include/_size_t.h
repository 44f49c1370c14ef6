#ifndef FAKE_SIZE_T_H
#define FAKE_SIZE_T_H

/* What most headers need of stddef.h */
typedef __SIZE_TYPE__ size_t;

#ifndef NULL
#define NULL ((void *)0)
#endif

#endif
