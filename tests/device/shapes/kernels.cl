typedef struct {
    float x, y, z, mass;
} point;

typedef struct {
    float factor;
    int n;
} setting;

kernel void points_move(global point *to, global const point *from)
{
    const size_t i = get_global_id(0);
    to[i] = from[i];
}

kernel void longer(global float *to, global const float *from, const uint n)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i] + 1.0f;
}

kernel void scaled(global float *to, global const float *from, const setting how)
{
    const size_t i = get_global_id(0);
    to[i] = from[i] * how.factor;
}

#ifndef WIDTH
#define WIDTH 4
#endif
kernel void tiled(global float *to, global const float *from)
{
    const size_t i = get_global_id(0);
    to[WIDTH * i] = from[WIDTH * i] + 1.0f;
}

kernel void framed(global float *to, global const float *from, const int2 size)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < size.x && at.y < size.y)
        to[at.y * size.x + at.x] = 2.0f * from[at.y * size.x + at.x];
}

kernel void padded(global float *to, global const float *from, const uint width, const uint pitch)
{
    const uint x = get_global_id(0), y = get_global_id(1);

    if (x < width)
        to[y * pitch + x] = 2.0f * from[y * pitch + x];
}
