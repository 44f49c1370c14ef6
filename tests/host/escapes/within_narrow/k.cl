kernel void scale(global float *y, global const float *x, int n, float s){ uint x0=get_global_id(0), y0=get_global_id(1); if(x0<40) y[y0*n+x0]=x[y0*n+x0]*s; }
kernel void add(global float *z, global const float *x, global const float *y, int n){ uint x0=get_global_id(0), y0=get_global_id(1); z[y0*300+x0]=x[y0*n+x0]+y[y0]; }
