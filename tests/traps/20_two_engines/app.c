#include "rig.h"
#include "lib.h"

#define N 300

/* With an argument, the second half of the work is done by an engine of its own. */
int main(int argc, char **argv)
{
    float data[N];
    struct engine one, two;
    vec a, b, c, d;
    cl_program program = rig_program("");

    (void)argv;
    engine_start(&one, rig_queue(), program);
    engine_start(&two, argc > 1 ? rig_new_queue(rig_context()) : rig_queue(), program);
    rig_fill(data, N, 1);
    vec_new(&a, &one, data, N);
    vec_new(&b, &one, data, N);
    rig_fill(data, N, 2);
    vec_new(&c, &two, data, N);
    vec_new(&d, &two, data, N);

#pragma kfuse(a, b, c, d)
    {
        vec_square(&b, &a);
        vec_square(&d, &c);
    }

    clFinish(one.queue);
    clFinish(two.queue);
    vec_show("b", &b);
    vec_show("d", &d);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_free(&d);
    engine_stop(&one);
    engine_stop(&two);
    clReleaseProgram(program);
    return 0;
}
