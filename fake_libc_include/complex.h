#ifndef FAKE_COMPLEX_H
#define FAKE_COMPLEX_H

#define complex _Complex
#define _Complex_I __builtin_complex(0.0f, 1.0f)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#define CMPLXL(x, y) __builtin_complex((long double)(x), (long double)(y))

/* The functions of one type T, whose names end in S */
#define FAKE_COMPLEX(T, S) \
    T cabs##S(T _Complex), carg##S(T _Complex), creal##S(T _Complex), cimag##S(T _Complex); \
    T _Complex \
      cacos##S(T _Complex), casin##S(T _Complex), catan##S(T _Complex), \
      ccos##S(T _Complex), csin##S(T _Complex), ctan##S(T _Complex), \
      cacosh##S(T _Complex), casinh##S(T _Complex), catanh##S(T _Complex), \
      ccosh##S(T _Complex), csinh##S(T _Complex), ctanh##S(T _Complex), \
      cexp##S(T _Complex), clog##S(T _Complex), csqrt##S(T _Complex), \
      conj##S(T _Complex), cproj##S(T _Complex), cpow##S(T _Complex, T _Complex)
FAKE_COMPLEX(double, );
FAKE_COMPLEX(float, f);
FAKE_COMPLEX(long double, l);

#endif
