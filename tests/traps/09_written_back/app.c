#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(void)
{
    pic a, t;

    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&t, W, H, 2);

#pragma kfuse(a, t)
    {
        pic_invert(&t, &a);
        pic_half(&a, &t);
    }

    pic_show("a", &a);
    pic_show("t", &t);
    pic_free(&a);
    pic_free(&t);
    pic_stop();
    return 0;
}
