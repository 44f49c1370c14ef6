#ifndef FAKE_MALLOC_H
#define FAKE_MALLOC_H

#include <_size_t.h>

struct mallinfo { int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *memalign(size_t, size_t);
void *valloc(size_t);
void free(void *);
size_t malloc_usable_size(void *);
int malloc_trim(size_t);
int mallopt(int, int);
struct mallinfo mallinfo(void);

#endif
