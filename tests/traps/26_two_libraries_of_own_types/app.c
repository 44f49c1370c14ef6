#include "rig.h"
#include "lib.h"
#include <stdio.h>
#include "img.h"
#define N 100

int main(int argc, char **argv)
{
    float data[N];
    vec a, c, d, p, q, t;

    (void)argv; (void)argc;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
    vec_new(&p, data, N);
    vec_new(&q, data, N);
    vec_new(&t, data, N);
img ia, it, id, ip, ic; img_start(); img_new(&ia, data, N); img_new(&it, data, N);img_new(&id, data, N);img_new(&ip, data, N);img_new(&ic, data, N);
    {
#pragma kfuse(a, ia)
        {
            vec_square(&t, &a);
            vec_root(&p, &t);
            vec_add(&c, &p, &a);
            img_square(&it, &ia);
            img_root(&ip, &it);
            img_add(&ic, &ip, &ia);
        }
    }

img_show("ic", &ic); img_show("id", &id);
    vec_show("a", &a);
    vec_show("c", &c);
    vec_show("d", &d);
    vec_show("q", &q);
    vec_stop();
    return 0;
}
