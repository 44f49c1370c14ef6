/* Runs a region of four launches many times; prints nanoseconds for each time, and launches. */
#include "vectors.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern unsigned long launches;

static cl_mem a, b, c, s, t, u;

static int once(void)
{
#pragma kfuse(a, b, out(c))
    {
        scale(s, a, 2.0f);
        scale(t, b, 3.0f);
        add(u, s, t);
        add(c, u, a);
    }
    return 0;
}

static char *text_of(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        exit(1);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int times = argc > 2 ? atoi(argv[2]) : 1;
    double began;
    int i;

    if (argc < 2 || set_up(text_of(argv[1])) != 0)
        return 1;
    a = vector(), b = vector(), c = vector(), s = vector(), t = vector(), u = vector();
    for (i = 0; i < 10; i++)
        once();
    launches = 0;
    began = now();
    for (i = 0; i < times; i++)
        once();
    printf("%g %lu\n", (now() - began) / times, launches);
    return 0;
}
