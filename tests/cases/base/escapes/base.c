#include "base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static cl_context ctx; static cl_command_queue queue; static cl_program prog;
static cl_kernel k_scale, k_add;
static cl_mem cache;
int lib_init(void){
  cl_platform_id p; cl_device_id d; cl_int e; static char text[20000]; const char *t=text; size_t len;
  FILE *f=fopen(getenv("KERNELS"),"rb"); len=fread(text,1,sizeof text-1,f); text[len]=0; fclose(f);
  clGetPlatformIDs(1,&p,NULL); clGetDeviceIDs(p,CL_DEVICE_TYPE_ALL,1,&d,NULL);
  ctx=clCreateContext(NULL,1,&d,NULL,NULL,&e); queue=clCreateCommandQueue(ctx,d,0,&e);
  prog=clCreateProgramWithSource(ctx,1,&t,NULL,&e); e=clBuildProgram(prog,1,&d,"",NULL,NULL);
  k_scale=clCreateKernel(prog,"scale",&e); k_add=clCreateKernel(prog,"add",&e);
  return e;
}
int vec_new(Vec *v, int n, float start){
  cl_int e; v->n=n; v->s=start;
  v->buf=clCreateBuffer(ctx,CL_MEM_READ_WRITE,n*sizeof(float),NULL,&e);
  clEnqueueFillBuffer(queue,v->buf,&start,sizeof start,0,n*sizeof(float),0,NULL,NULL);
  /*INIT*/
  return e;
}
int vec_scale(Vec *y, Vec *x, float s){
  size_t g=y->n;
  clSetKernelArg(k_scale,0,sizeof(cl_mem),&y->buf);
  clSetKernelArg(k_scale,1,sizeof(cl_mem),&x->buf);
  clSetKernelArg(k_scale,2,sizeof(int),&y->n);
  clSetKernelArg(k_scale,3,sizeof(float),&s);
  clEnqueueNDRangeKernel(queue,k_scale,1,NULL,&g,NULL,0,NULL,NULL);
  cache=y->buf;
  return 0;
}
int vec_add(Vec *z, Vec *x, Vec *y){
  size_t g=z->n;
  
  clSetKernelArg(k_add,0,sizeof(cl_mem),&z->buf);
  clSetKernelArg(k_add,1,sizeof(cl_mem),&x->buf);
  clSetKernelArg(k_add,2,sizeof(cl_mem),&y->buf);
  clSetKernelArg(k_add,3,sizeof(int),&z->n);
  clEnqueueNDRangeKernel(queue,k_add,1,NULL,&g,NULL,0,NULL,NULL);
  return 0;
}
int vec_read(Vec *v, float *out){ return clEnqueueReadBuffer(queue,v->buf,CL_TRUE,0,v->n*sizeof(float),out,0,NULL,NULL); }
void vec_free(Vec *v){ clReleaseMemObject(v->buf); v->buf=NULL; }
int read_cached(float *o){ return clEnqueueReadBuffer(queue,cache,CL_TRUE,0,4,o,0,NULL,NULL); }
