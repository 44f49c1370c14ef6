#include "rig.h"
#include "lib.h"

#define N 300
#define HALF_OF(n) ((n) / 2)
#define EVERYTHING &c, N
#define TRY(call) do { if ((call) != 0) return 1; } while (0)

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
        TRY(vec_square(&b, &a, N));
        TRY(vec_add(&c, &a, &b, HALF_OF(2 * N)));
        TRY(vec_root(&c, &c, HALF_OF(N) + N / 2));
    }

#pragma kfuse(b, c)
    {
        TRY(vec_square(&b, &c, N));
        TRY(vec_root(&b, EVERYTHING));
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
