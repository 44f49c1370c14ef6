/* Kernels, and the fused ones that the patterns name. A small part of OpenCL C. */
static const char *const kernels_text =
    "kernel void square(global float *t, global const float *x, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) t[i] = x[i] * x[i]; }\n"
    "kernel void add(global float *c, global const float *t, global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) c[i] = t[i] + b[i]; }\n"
    "kernel void copy(global float *to, global const float *from, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) to[i] = from[i]; }\n"
    "kernel void advance(global float *to, global const float *from, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) to[i] = from[i] * 1.5f; }\n"
    "kernel void paint(global float *t, global const float *x, uint w)\n"
    "{ size_t i = get_global_id(1) * w + get_global_id(0); t[i] = x[i] + 1.0f; }\n"
    "kernel void tint(global float *c, global const float *t, uint w)\n"
    "{ size_t i = get_global_id(1) * w + get_global_id(0); c[i] = t[i] * 3.0f; }\n";

static const char *const fused_text =
    "kernel void square_add(global float *t, global const float *x, global float *c,\n"
    "                       global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (i < n) { float s = x[i] * x[i]; t[i] = s; c[i] = s + b[i]; } }\n"
    "kernel void square_add_less(global const float *x, global float *c, global const float *b,\n"
    "                            uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) { float s = x[i] * x[i]; c[i] = s + b[i]; } }\n"
    "kernel void advance_3(global float *to, global const float *from, uint n)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (i < n) { float s = from[i] * 1.5f; s = s * 1.5f; s = s * 1.5f; to[i] = s; } }\n"
    "kernel void advance_5(global float *to, global const float *from, uint n)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (i < n) { float s = from[i] * 1.5f; s = s * 1.5f; s = s * 1.5f; s = s * 1.5f;\n"
    "               s = s * 1.5f; to[i] = s; } }\n"
    /* groups of 2 x 1 items do 5 x 4 items */
    "kernel void paint_tint(global float *t, global const float *x, global float *c, uint w,\n"
    "                      const int width, const int height)\n"
    "{ int right = get_group_id(0) * 5 + 5; int end = get_group_id(1) * 4 + 4;\n"
    "  if (right > width) right = width;\n"
    "  if (end > height) end = height;\n"
    "  for (int y = get_group_id(1) * 4 + get_local_id(1); y < end; y++)\n"
    "    for (int i = get_group_id(0) * 5 + get_local_id(0); i < right; i = i + 2) {\n"
    "      float s = x[y * w + i] + 1.0f; t[y * w + i] = s; c[y * w + i] = s * 3.0f; } }\n";
