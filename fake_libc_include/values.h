#ifndef FAKE_VALUES_H
#define FAKE_VALUES_H

#include <limits.h>
#include <float.h>

#define MAXSHORT SHRT_MAX
#define MAXINT INT_MAX
#define MAXLONG LONG_MAX
#define MININT INT_MIN
#define MINLONG LONG_MIN
#undef MAXFLOAT
#define MAXFLOAT FLT_MAX
#define MAXDOUBLE DBL_MAX
#define MINFLOAT FLT_MIN
#define MINDOUBLE DBL_MIN

#endif
