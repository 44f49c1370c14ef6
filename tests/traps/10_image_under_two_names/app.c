#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(int argc, char *argv[])
{
    pic a, b, t, c;

    (void)argv;
    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&b, W, H, 2);
    pic_new(&t, W, H, 3);
    pic_new(&c, W, H, 4);
    if (argc > 1) {
        pic_free(&t);
        t = c;
        clRetainMemObject(c.mem);
    }

#pragma kfuse(a, b, t, c)
    {
        pic_invert(&t, &a);
        pic_half(&c, &b);
    }

    pic_show("t", &t);
    pic_show("c", &c);
    pic_free(&a);
    pic_free(&b);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
