#include "rig.h"
#include "lib.h"

#define W 37
#define H 11

int main(void)
{
    pic a, s, t, c;
    cl_sampler sampler;

    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&s, W, H, 2);
    pic_new(&t, W, H, 3);
    pic_new(&c, W, H, 4);
    sampler = clCreateSampler(rig_context(), CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);

#pragma kfuse(a, out(c))
    {
        pic_sampled(&s, &a, sampler);
        pic_half(&t, &s);
        pic_sampled(&c, &t, sampler);
    }

    pic_show("c", &c);
    clReleaseSampler(sampler);
    pic_free(&a);
    pic_free(&s);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
