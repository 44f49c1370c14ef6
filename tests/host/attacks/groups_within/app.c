#include "rig.h"
#include "lib.h"
#include <string.h>
#define N 2048
static float data[N];
int main(void)
{
    img a, t, c;
    img_start();
    rig_fill(data, N, 1);
    img_new(&a, 20, 32, 16, N, data);
    memset(data, 0, sizeof data);
    img_new(&t, 20, 32, 16, N, data);
    img_new(&c, 20, 32, 16, N, data);
#pragma kfuse(a, t, c)
    {
        img_rows(&t, &a);
        img_apply(&c, &t);
    }
    img_get(&t, data, N);
    rig_dump("t", data, sizeof data);
    img_get(&c, data, N);
    rig_dump("c", data, sizeof data);
    img_stop();
    return 0;
}
