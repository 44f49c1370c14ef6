#ifndef LIB_H
#define LIB_H

void shared_start(void);
void shared_stop(void);
float *shared_new(unsigned n, int seed); /* other numbers for each seed */
void shared_show(const char *name, float *data, unsigned n);

/* Two functions, each with a kernel of its name. */
void produce(float *y, const float *x, unsigned n);
void consume(float *y, const float *x, unsigned n);

#endif
