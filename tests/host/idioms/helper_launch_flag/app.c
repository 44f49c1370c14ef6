#include "rig.h"
#include "lib.h"

#define N 300
#define TRY(call) if ((call) != 0) return 1

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
