#include "rig.h"
#include "lib.h"

#define N 300

typedef struct {
    vec in, between, out;
} stages;

static void work(stages *s)
{
    vec t = s->between;

#pragma kfuse(s, t)
    {
        vec_square(&t, &s->in);
        vec_add(&s->out, &t, &s->in);
    }
}

static void work_on_one_of(vec *all)
{
    vec t = {all[0].mem, N};

#pragma kfuse(all, t)
    {
        vec_square(&t, &all[1]);
        vec_add(&all[2], &t, &all[1]);
    }
}

int main(void)
{
    float data[N];
    stages s;
    vec all[3];
    int i;

    vec_start();
    for (i = 0; i < 3; i++) {
        rig_fill(data, N, i);
        vec_new(&all[i], data, N);
        vec_new(i == 0 ? &s.in : i == 1 ? &s.between : &s.out, data, N);
    }

    work(&s);
    vec_show("between", &s.between);
    vec_show("out", &s.out);
    work_on_one_of(all);
    vec_show("first", &all[0]);
    vec_show("last", &all[2]);

    vec_free(&s.in);
    vec_free(&s.between);
    vec_free(&s.out);
    for (i = 0; i < 3; i++)
        vec_free(&all[i]);
    vec_stop();
    return 0;
}
