#ifndef FAKE_TGMATH_H
#define FAKE_TGMATH_H

/* The functions keep the types of math.h: sqrt of a float is a double. */
#include <math.h>
#include <complex.h>

#endif
