/* fill, scale, scale and fill in one kernel */
kernel void fill_scale(global float *t, global float *u, float zero, float two,
                       float one, int n, int m) {
  int i = get_global_id(0);

  /* fill(t, zero, n) */
  if (i < n) {
    t[i] = zero;
  }

  if (i < m) {
    /* scale(t, two, m) */
    t[i] *= two; // in place

    /* fill(u, one, m) */
    u[i] = one;
  }
}
