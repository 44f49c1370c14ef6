#include "rig.h"
#include "lib.h"
#define N 256
static float data[N];
int main(void)
{
    vec a, t, c;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, N, data);
    vec_new(&t, N, data);
    vec_new(&c, N, data);
    
#pragma kfuse(a, t, c)
    {
        vec_sq(&t, &a);
        
        vec_mir(&c, &t);
    }
    vec_get(&t, data);
    rig_dump("t", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_stop();
    return 0;
}
