#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(void)
{
    pic a, t, c;

    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&t, W, H, 2);
    pic_new(&c, W, H, 3);

#pragma kfuse(a, out(c))
    {
        pic_invert(&t, &a);
        pic_smooth(&c, &t);
    }

    pic_show("c", &c);
    pic_free(&a);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
