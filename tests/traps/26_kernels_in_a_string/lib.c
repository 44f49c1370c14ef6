#include "rig.h"
#include "lib.h"

static const char *source =
    "kernel void produce(global float *y, global const float *x)"
    "{ y[get_global_id(0)] = 2.0f * x[get_global_id(0)]; }"
    "kernel void consume(global float *y, global const float *x)"
    "{ y[get_global_id(0)] = x[get_global_id(0)] + 1.0f; }";
