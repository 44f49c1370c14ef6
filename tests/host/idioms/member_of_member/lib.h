#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    float *host;
    cl_mem dev;
    int newer; /* on the device */
} mirror;

typedef struct {
    cl_uint n;
    mirror force;
    cl_mem mass;
    float gravity;
} sim;

void sim_start(void);
void sim_stop(void);
void sim_new(sim *s, const float *force, const float *mass, unsigned n);
void sim_get(sim *s, float *force);
void sim_free(sim *s);

void sim_fall(sim *s);
void sim_drag(sim *s, float k);

#endif
