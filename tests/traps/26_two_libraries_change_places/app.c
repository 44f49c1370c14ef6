#include "rig.h"
#include "lib.h"
#include "img.h"
#include <stdio.h>
int main(void)
{
    float data[100];
    vec *a, *t, *d, *p, *c;
    vec_start();
    rig_fill(data, 100, 1);
    a = vec_make(data, 100); t = vec_make(data, 100); d = vec_make(data, 100); p = vec_make(data, 100); c = vec_make(data, 100);
img *ia, *it, *id, *ip, *ic; img_start(); ia=img_make(data,100);it=img_make(data,100);id=img_make(data,100);ip=img_make(data,100);ic=img_make(data,100);
    {
#pragma kfuse(a, ia)
        {
            vec_square(t, a);
            vec_shift(d, t);
            vec_root(p, t);
            vec_add(c, p, a);
            img_square(it, ia);
            img_shift(id, it);
            img_root(ip, it);
            img_add(ic, ip, ia);
        }
    }
img_show("id", id); img_show("ic", ic);
    vec_show("c", c); vec_show("d", d);
    return 0;
}
