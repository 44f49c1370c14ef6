struct pair {
    cl_command_queue queue;
    cl_kernel square, add;
    cl_mem t, x, c, b;
};
void launch_square(struct pair *p);
void launch_add(struct pair *p);
void *in_thread(void *argument);
