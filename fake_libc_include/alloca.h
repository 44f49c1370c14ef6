#ifndef FAKE_ALLOCA_H
#define FAKE_ALLOCA_H

#include <_size_t.h>

void *alloca(size_t);

#endif
