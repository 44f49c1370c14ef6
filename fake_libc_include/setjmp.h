#ifndef FAKE_SETJMP_H
#define FAKE_SETJMP_H

typedef struct { long registers[8]; int has_mask; unsigned long mask[16]; } jmp_buf[1], sigjmp_buf[1];

int setjmp(jmp_buf);
int _setjmp(jmp_buf);
int sigsetjmp(sigjmp_buf, int);
_Noreturn void longjmp(jmp_buf, int);
_Noreturn void _longjmp(jmp_buf, int);
_Noreturn void siglongjmp(sigjmp_buf, int);

#endif
