#ifndef FAKE_MATH_H
#define FAKE_MATH_H

/* Types and constants */
typedef float float_t;
typedef double double_t;
extern int signgam;
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define MAXFLOAT 3.40282347e+38F
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling (MATH_ERRNO | MATH_ERREXCEPT)
#ifdef _GNU_SOURCE
#define M_PIf 3.14159265358979323846f
#define M_PIl 3.141592653589793238462643383279502884L
#endif

/* The functions of one type T, whose names end in S. One declaration for many,
 * because that parses more quickly. */
#define FAKE_MATH(T, S) \
    T acos##S(T), asin##S(T), atan##S(T), cos##S(T), sin##S(T), tan##S(T), \
      acosh##S(T), asinh##S(T), atanh##S(T), cosh##S(T), sinh##S(T), tanh##S(T), \
      exp##S(T), exp2##S(T), expm1##S(T), log##S(T), log10##S(T), log1p##S(T), log2##S(T), logb##S(T), \
      cbrt##S(T), fabs##S(T), sqrt##S(T), erf##S(T), erfc##S(T), lgamma##S(T), tgamma##S(T), \
      ceil##S(T), floor##S(T), nearbyint##S(T), rint##S(T), round##S(T), trunc##S(T), \
      atan2##S(T, T), pow##S(T, T), hypot##S(T, T), fmod##S(T, T), remainder##S(T, T), \
      copysign##S(T, T), nextafter##S(T, T), fdim##S(T, T), fmax##S(T, T), fmin##S(T, T), \
      fma##S(T, T, T), remquo##S(T, T, int *), frexp##S(T, int *), ldexp##S(T, int), \
      modf##S(T, T *), scalbn##S(T, int), scalbln##S(T, long), nan##S(const char *), \
      nexttoward##S(T, long double); \
    int ilogb##S(T); \
    long lrint##S(T), lround##S(T); \
    long long llrint##S(T), llround##S(T)
FAKE_MATH(double, );
FAKE_MATH(float, f);

/* Those of long double, which hosts of OpenCL hardly use: the compiler knows
 * them without a declaration, so that they cost nothing. */
#define acosl(x) __builtin_acosl(x)
#define asinl(x) __builtin_asinl(x)
#define atanl(x) __builtin_atanl(x)
#define cosl(x) __builtin_cosl(x)
#define sinl(x) __builtin_sinl(x)
#define tanl(x) __builtin_tanl(x)
#define acoshl(x) __builtin_acoshl(x)
#define asinhl(x) __builtin_asinhl(x)
#define atanhl(x) __builtin_atanhl(x)
#define coshl(x) __builtin_coshl(x)
#define sinhl(x) __builtin_sinhl(x)
#define tanhl(x) __builtin_tanhl(x)
#define expl(x) __builtin_expl(x)
#define exp2l(x) __builtin_exp2l(x)
#define expm1l(x) __builtin_expm1l(x)
#define logl(x) __builtin_logl(x)
#define log10l(x) __builtin_log10l(x)
#define log1pl(x) __builtin_log1pl(x)
#define log2l(x) __builtin_log2l(x)
#define logbl(x) __builtin_logbl(x)
#define cbrtl(x) __builtin_cbrtl(x)
#define fabsl(x) __builtin_fabsl(x)
#define sqrtl(x) __builtin_sqrtl(x)
#define erfl(x) __builtin_erfl(x)
#define erfcl(x) __builtin_erfcl(x)
#define lgammal(x) __builtin_lgammal(x)
#define tgammal(x) __builtin_tgammal(x)
#define ceill(x) __builtin_ceill(x)
#define floorl(x) __builtin_floorl(x)
#define nearbyintl(x) __builtin_nearbyintl(x)
#define rintl(x) __builtin_rintl(x)
#define roundl(x) __builtin_roundl(x)
#define truncl(x) __builtin_truncl(x)
#define ilogbl(x) __builtin_ilogbl(x)
#define lrintl(x) __builtin_lrintl(x)
#define lroundl(x) __builtin_lroundl(x)
#define llrintl(x) __builtin_llrintl(x)
#define llroundl(x) __builtin_llroundl(x)
#define atan2l(x, y) __builtin_atan2l(x, y)
#define powl(x, y) __builtin_powl(x, y)
#define hypotl(x, y) __builtin_hypotl(x, y)
#define fmodl(x, y) __builtin_fmodl(x, y)
#define remainderl(x, y) __builtin_remainderl(x, y)
#define copysignl(x, y) __builtin_copysignl(x, y)
#define nextafterl(x, y) __builtin_nextafterl(x, y)
#define nexttowardl(x, y) __builtin_nexttowardl(x, y)
#define fdiml(x, y) __builtin_fdiml(x, y)
#define fmaxl(x, y) __builtin_fmaxl(x, y)
#define fminl(x, y) __builtin_fminl(x, y)
#define frexpl(x, y) __builtin_frexpl(x, y)
#define ldexpl(x, y) __builtin_ldexpl(x, y)
#define modfl(x, y) __builtin_modfl(x, y)
#define scalbnl(x, y) __builtin_scalbnl(x, y)
#define scalblnl(x, y) __builtin_scalblnl(x, y)
#define fmal(x, y, z) __builtin_fmal(x, y, z)
#define remquol(x, y, quotient) __builtin_remquol(x, y, quotient)
#define nanl(tag) __builtin_nanl(tag)

/* Bessel functions, and old names */
double j0(double), j1(double), jn(int, double), y0(double), y1(double), yn(int, double);
double gamma(double), drem(double, double), significand(double), lgamma_r(double, int *);

/* Kinds of number and comparisons, for any of the types */
int fpclassify(double), isfinite(double), isinf(double), isnan(double), isnormal(double), signbit(double);
int isgreater(double, double), isgreaterequal(double, double), isless(double, double);
int islessequal(double, double), islessgreater(double, double), isunordered(double, double);
int finite(double), finitef(float), isnanf(float), isinff(float);

#ifdef _GNU_SOURCE
double exp10(double);
float exp10f(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
#endif

#endif
