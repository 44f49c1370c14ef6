#include "rig.h"
#include "lib.h"

#include <pthread.h>
#include <stdlib.h>

#define N 64

static void *work(void *given)
{
    vec *v = given;
    vec *x = &v[0], *t = &v[1], *y = &v[2];

#pragma kfuse(x, t, y)
    {
        produce(t, x);
        consume(y, t);
    }
    return NULL;
}

int main(void)
{
    vec v[2][3];
    pthread_t thread;
    int k;

    vec_start();
    for (k = 0; k < 6; k++)
        vec_new(&v[k / 3][k % 3], N, k);

    pthread_create(&thread, NULL, work, v[0]);
    pthread_join(thread, NULL);
    work(v[1]);

    for (k = 0; k < 6; k++) {
        vec_show("v", &v[k / 3][k % 3]);
        vec_free(&v[k / 3][k % 3]);
    }
    vec_stop();
    return 0;
}
