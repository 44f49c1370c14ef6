kernel void scale(global float *y, global const float *x, int n, float s){ int i=get_global_id(0); if(i<n) y[i]=x[i]*s; }
kernel void add(global float *z, global const float *x, global const float *y, int n){ int i=get_global_id(0); if(i<n) z[i]=x[i]+y[i]; }
