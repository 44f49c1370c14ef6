#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(void)
{
    pic a, t = {NULL, W, H, 0}, c = {NULL, W, H, 0};
    int time;

    pic_start();
    pic_new(&a, W, H, 1);

    for (time = 0; time < 3; time++) {
        if (time == 2)
            pic_in_bytes();
#pragma kfuse(a, out(c))
        {
            pic_invert(&t, &a);
            pic_half(&c, &t);
        }
    }

    pic_show("c", &c);
    pic_free(&a);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
