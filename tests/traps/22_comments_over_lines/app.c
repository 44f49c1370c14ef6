#include "rig.h"
#include "lib.h"

#define N 100

int main(void)
{
    float data[N];
    vec a, t, c, d, p;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, NULL, N);
    vec_new(&c, NULL, N);
    vec_new(&d, NULL, N);
    vec_new(&p, NULL, N);

#pragma kfuse(a, out(c, d))
    {
        /* all
           that is needed */
        vec_square(&t, &a); /* every element
                               is squared */
        vec_shift(&d, &t); /* neighbours
                            * are used */ vec_root(&p, &t);
        // the last
        /* one */ vec_add(&c, &p, &a); // and
    }

    vec_show("c", &c);
    vec_show("d", &d);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_free(&d);
    vec_free(&p);
    vec_stop();
    return 0;
}
