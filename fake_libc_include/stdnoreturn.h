#ifndef FAKE_STDNORETURN_H
#define FAKE_STDNORETURN_H

#define noreturn _Noreturn

#endif
