#ifndef __CL_PLATFORM_H
#define __CL_PLATFORM_H

#include <CL/cl_version.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h> /* as the original, through the compiler's intrinsics; hosts rely on it */

/* Calling conventions, and the marks around declarations: all empty */
#define CL_API_ENTRY
#define CL_API_CALL
#define CL_CALLBACK
#define CL_ALIGNED(x)
#define CL_EXTENSION_WEAK_LINK
#define CL_API_SUFFIX__EXPERIMENTAL
#define CL_API_SUFFIX__VERSION_1_0
#define CL_API_SUFFIX__VERSION_1_1
#define CL_API_SUFFIX__VERSION_1_2
#define CL_API_SUFFIX__VERSION_2_0
#define CL_API_SUFFIX__VERSION_2_1
#define CL_API_SUFFIX__VERSION_2_2
#define CL_API_SUFFIX__VERSION_3_0
#define CL_API_PREFIX__VERSION_1_0_DEPRECATED
#define CL_API_SUFFIX__VERSION_1_0_DEPRECATED
#define CL_API_PREFIX__VERSION_1_1_DEPRECATED
#define CL_API_SUFFIX__VERSION_1_1_DEPRECATED
#define CL_API_PREFIX__VERSION_1_2_DEPRECATED
#define CL_API_SUFFIX__VERSION_1_2_DEPRECATED
#define CL_API_PREFIX__VERSION_2_0_DEPRECATED
#define CL_API_SUFFIX__VERSION_2_0_DEPRECATED
#define CL_API_PREFIX__VERSION_2_1_DEPRECATED
#define CL_API_SUFFIX__VERSION_2_1_DEPRECATED
#define CL_API_PREFIX__VERSION_2_2_DEPRECATED
#define CL_API_SUFFIX__VERSION_2_2_DEPRECATED
#define CL_EXT_SUFFIX__VERSION_1_0
#define CL_EXT_SUFFIX__VERSION_1_1
#define CL_EXT_SUFFIX__VERSION_1_2
#define CL_EXT_PREFIX__VERSION_1_0_DEPRECATED
#define CL_EXT_SUFFIX__VERSION_1_0_DEPRECATED
#define CL_EXT_PREFIX__VERSION_1_1_DEPRECATED
#define CL_EXT_SUFFIX__VERSION_1_1_DEPRECATED
#define CL_EXT_PREFIX__VERSION_1_2_DEPRECATED
#define CL_EXT_SUFFIX__VERSION_1_2_DEPRECATED

/* Scalars */
typedef int8_t cl_char;
typedef uint8_t cl_uchar;
typedef int16_t cl_short;
typedef uint16_t cl_ushort;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef int64_t cl_long;
typedef uint64_t cl_ulong;
typedef uint16_t cl_half;
typedef float cl_float;
typedef double cl_double;

/* Scalars that stand for OpenGL's */
typedef unsigned int cl_GLuint;
typedef int cl_GLint;
typedef unsigned int cl_GLenum;

/* Vectors. Sizes are true; alignments are the elements'. Only what costs little
 * to parse: s[] in all, names in the short ones, no halves (lo, hi). */
#define CL_HAS_NAMED_VECTOR_FIELDS 1
#define FAKE_CL_VECTORS(T) \
    typedef union { T s[2]; struct { T x, y; }; struct { T s0, s1; }; } T##2; \
    typedef union { T s[4]; struct { T x, y, z, w; }; struct { T s0, s1, s2, s3; }; } T##3, T##4; \
    typedef union { T s[8]; } T##8; \
    typedef union { T s[16]; } T##16;
FAKE_CL_VECTORS(cl_char)
FAKE_CL_VECTORS(cl_uchar)
FAKE_CL_VECTORS(cl_short)
FAKE_CL_VECTORS(cl_ushort)
FAKE_CL_VECTORS(cl_int)
FAKE_CL_VECTORS(cl_uint)
FAKE_CL_VECTORS(cl_long)
FAKE_CL_VECTORS(cl_ulong)
FAKE_CL_VECTORS(cl_half)
FAKE_CL_VECTORS(cl_float)
FAKE_CL_VECTORS(cl_double)

/* Limits of the integers */
#define CL_CHAR_BIT 8
#define CL_SCHAR_MAX 127
#define CL_SCHAR_MIN (-127 - 1)
#define CL_CHAR_MAX CL_SCHAR_MAX
#define CL_CHAR_MIN CL_SCHAR_MIN
#define CL_UCHAR_MAX 255
#define CL_SHRT_MAX 32767
#define CL_SHRT_MIN (-32767 - 1)
#define CL_USHRT_MAX 65535
#define CL_INT_MAX 2147483647
#define CL_INT_MIN (-2147483647 - 1)
#define CL_UINT_MAX 0xFFFFFFFFU
#define CL_LONG_MAX ((cl_long)0x7FFFFFFFFFFFFFFFLL)
#define CL_LONG_MIN ((cl_long)-0x7FFFFFFFFFFFFFFFLL - 1LL)
#define CL_ULONG_MAX ((cl_ulong)0xFFFFFFFFFFFFFFFFULL)

/* Limits of float, half and double */
#define CL_FLT_DIG 6
#define CL_FLT_MANT_DIG 24
#define CL_FLT_MAX_10_EXP +38
#define CL_FLT_MAX_EXP +128
#define CL_FLT_MIN_10_EXP -37
#define CL_FLT_MIN_EXP -125
#define CL_FLT_RADIX 2
#define CL_FLT_MAX 340282346638528859811704183484516925440.0f
#define CL_FLT_MIN 1.175494350822287507969e-38f
#define CL_FLT_EPSILON 1.1920928955078125e-7f
#define CL_HALF_DIG 3
#define CL_HALF_MANT_DIG 11
#define CL_HALF_MAX_10_EXP +4
#define CL_HALF_MAX_EXP +16
#define CL_HALF_MIN_10_EXP -4
#define CL_HALF_MIN_EXP -13
#define CL_HALF_RADIX 2
#define CL_HALF_MAX 65504.0f
#define CL_HALF_MIN 6.103515625e-05f
#define CL_HALF_EPSILON 9.765625e-04f
#define CL_DBL_DIG 15
#define CL_DBL_MANT_DIG 53
#define CL_DBL_MAX_10_EXP +308
#define CL_DBL_MAX_EXP +1024
#define CL_DBL_MIN_10_EXP -307
#define CL_DBL_MIN_EXP -1021
#define CL_DBL_RADIX 2
#define CL_DBL_MAX 1.7976931348623157e+308
#define CL_DBL_MIN 2.225073858507201383090e-308
#define CL_DBL_EPSILON 2.220446049250313080847e-16
#define CL_MAXFLOAT CL_FLT_MAX
#define CL_HUGE_VALF __builtin_huge_valf()
#define CL_HUGE_VAL __builtin_huge_val()
#define CL_INFINITY CL_HUGE_VALF
#define CL_NAN __builtin_nanf("")

/* Mathematical constants */
#define CL_M_E 2.7182818284590452354
#define CL_M_LOG2E 1.4426950408889634074
#define CL_M_LOG10E 0.43429448190325182765
#define CL_M_LN2 0.69314718055994530942
#define CL_M_LN10 2.30258509299404568402
#define CL_M_PI 3.14159265358979323846
#define CL_M_PI_2 1.57079632679489661923
#define CL_M_PI_4 0.78539816339744830962
#define CL_M_1_PI 0.31830988618379067154
#define CL_M_2_PI 0.63661977236758134308
#define CL_M_2_SQRTPI 1.12837916709551257390
#define CL_M_SQRT2 1.41421356237309504880
#define CL_M_SQRT1_2 0.70710678118654752440
#define CL_M_E_F 2.718281828f
#define CL_M_LOG2E_F 1.442695041f
#define CL_M_LOG10E_F 0.434294482f
#define CL_M_LN2_F 0.693147181f
#define CL_M_LN10_F 2.302585093f
#define CL_M_PI_F 3.141592654f
#define CL_M_PI_2_F 1.570796327f
#define CL_M_PI_4_F 0.785398163f
#define CL_M_1_PI_F 0.318309886f
#define CL_M_2_PI_F 0.636619772f
#define CL_M_2_SQRTPI_F 1.128379167f
#define CL_M_SQRT2_F 1.414213562f
#define CL_M_SQRT1_2_F 0.707106781f

/* To stand before a program in a string */
#define FAKE_CL_STRING_OF(text) #text
#define FAKE_CL_STRING(text) FAKE_CL_STRING_OF(text)
#define CL_PROGRAM_STRING_DEBUG_INFO "#line " FAKE_CL_STRING(__LINE__) " \"" __FILE__ "\" \n\n"

#endif
