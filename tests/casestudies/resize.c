/*
 * Prints every pixel of a resized row or column that is not the one nearest by definition.
 * The argument is how long they are at most.
 */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status)
{
    if (status != IMAGE_OK) {
        printf("status %d\n", status);
        exit(EXIT_FAILURE);
    }
}

static void compare(cl_uint from, cl_uint to, int upright)
{
    Image source, result;

    check(image_create(&source, upright ? 1 : from, upright ? from : 1));
    check(image_create(&result, upright ? 1 : to, upright ? to : 1));
    for (cl_uint i = 0; i < from; i++)
        source.host[i].s[0] = (cl_float)i;
    image_changed(&source);
    check(image_resize(&result, &source));
    check(image_on_host(&result));
    for (cl_uint i = 0; i < to; i++) {
        const cl_ulong nearest = (2 * (cl_ulong)i + 1) * from / (2 * (cl_ulong)to);
        if (result.host[i].s[0] != (cl_float)nearest)
            printf("%u of %u to %u: %g\n", i, from, to, result.host[i].s[0]);
    }
    image_free(&source);
    image_free(&result);
}

int main(int argc, char **argv)
{
    static const cl_uint sizes[] = {1, 2, 3, 5, 6, 7, 41, 110, 255, 256, 8192, 32767, 32768};
    const cl_uint longest = argc == 2 ? (cl_uint)atoi(argv[1]) : 0;
    int count = sizeof sizes / sizeof *sizes;

    while (count > 0 && sizes[count - 1] > longest)
        count--;
    check(image_init());
    for (int from = 0; from < count; from++) {
        for (int to = 0; to < count; to++) {
            compare(sizes[from], sizes[to], 0);
            compare(sizes[from], sizes[to], 1);
        }
    }
    image_shutdown();
    printf("done\n");
    return EXIT_SUCCESS;
}
