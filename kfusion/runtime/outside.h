/* ==== Calls that nothing is held back around ============================================== */

/* A function that is not among the given files may call OpenCL, leave the region, or call a
   function of the program. Before it, what is noted is made; while it runs, nothing is noted, and
   if it never returns, nothing will be; behind it, arguments that were set before do not count.

       #define log_line(...) KFUSION_OUTSIDE(log_line(__VA_ARGS__)) */

static const kfusion_region kfusion_region_outside KFUSION_UNUSED = {
    "outside", "", 0, NULL, 0, NULL, 0, NULL,
};

KFUSION_HERE kfusion_guard kfusion_leave(void)
{
    kfusion_guard guard = {NULL, 0, NULL};

    if (kfusion_now == NULL || kfusion_now->region == NULL || !KFUSION_PROTECTS(OUTSIDE))
        return guard;
    kfusion_settle();
    return kfusion_begin(&kfusion_region_outside);
}

KFUSION_HERE void kfusion_come_back(kfusion_guard *guard)
{
    if (!guard->began)
        return;
    kfusion_settle();
    kfusion_end(guard);
}

/* In C++, where `std::exit(1)` is written as well:

       #define exit(...) KFUSION_LEAVE(exit, __VA_ARGS__) */

KFUSION_HERE void kfusion_leave_for_good(void)
{
    (void)kfusion_leave();
}

#define KFUSION_LEAVE(function, ...) function((kfusion_leave_for_good(), __VA_ARGS__))

#define KFUSION_OUTSIDE(call)                                                                 \
    __extension__({                                                                           \
        kfusion_guard kfusion_outside __attribute__((__cleanup__(kfusion_come_back),          \
                                                     __unused__)) = kfusion_leave();          \
        call;                                                                                 \
    })
