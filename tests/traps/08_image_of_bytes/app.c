#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(int argc, char *argv[])
{
    pic a, t, c;

    (void)argv;
    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&t, W, H, 2);
    pic_new(&c, W, H, 3);
    if (argc > 1) {
        pic_free(&t);
        t.mem = image_of(W, H, CL_UNORM_INT8);
    }

#pragma kfuse(a, out(c))
    {
        pic_half(&t, &a);
        pic_invert(&c, &t);
    }

    pic_show("c", &c);
    pic_free(&a);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
