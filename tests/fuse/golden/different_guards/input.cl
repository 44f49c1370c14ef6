/* Every kernel has the bound of its own vector. */
kernel void fill(global float *t, float value, int n) {
  int i = get_global_id(0);

  if (i < n)
    t[i] = value;
}

kernel void scale(global float *t, float factor, int n) {
  int i = get_global_id(0);

  if (i >= n)
    return;
  t[i] *= factor; // in place
}
