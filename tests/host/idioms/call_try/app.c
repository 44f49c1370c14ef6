#include "rig.h"
#include "lib.h"

#include <stdio.h>

#define TRY(call)                                           \
    do {                                                    \
        int status_ = (call);                               \
        if (status_ != 0) {                                 \
            fprintf(stderr, "%s: status %d\n", #call, status_); \
            return 1;                                       \
        }                                                   \
    } while (0)

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, b, c)
    {
        TRY(vec_square(&b, &a));
        TRY(vec_add(&c, &a, &b));
        TRY(vec_root(&c, &c));
    }

    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop();
    return 0;
}
