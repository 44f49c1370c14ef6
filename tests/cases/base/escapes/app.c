#include "base.h"
#include <stdio.h>
int read_cached(float *o);
int main(void){
  Vec a,b,t,c; float out[64]; int k;
  lib_init();
  vec_new(&a,64,2); vec_new(&b,64,3); vec_new(&t,64,1); vec_new(&c,64,0);
  
#pragma kfuse(a,b,t,c)
  {
    
    vec_scale(&t,&a,5);
    
    vec_add(&c,&t,&b);
  }
  vec_read(&c,out); for(k=0;k<4;k++) printf("%g ",out[k*20]);
  { float r=0; read_cached(&r); printf("cached %g",r); }
  printf("\n");
  vec_free(&a); vec_free(&b); vec_free(&t); vec_free(&c);
  return 0;
}
