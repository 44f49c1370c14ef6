#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(void)
{
    pic a, b, r, s, t, c, d;

    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&b, W, H, 2);
    pic_new(&r, W, H, 3);
    pic_new(&s, W, H, 4);
    pic_new(&t, W, H, 5);
    pic_new(&c, W, H, 6);
    pic_new(&d, W, H, 7);

#pragma kfuse(a, b, out(d))
    {
        pic_left(&r, &a);
        pic_listed(&s, &a);
        pic_smooth(&t, &b);
        pic_sum(&c, &r, &s);
        pic_sum(&d, &c, &t);
    }

    pic_show("d", &d);
    pic_free(&a);
    pic_free(&b);
    pic_free(&r);
    pic_free(&s);
    pic_free(&t);
    pic_free(&c);
    pic_free(&d);
    pic_stop();
    return 0;
}
