/* ==== Forwarding: the functions of OpenCL are those of the run time, if it is there ======== */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Compiled once for all calls, if there are any. */
#pragma GCC diagnostic ignored "-Wattributes"
#define KFUSION_ONCE KFUSION_HERE __attribute__((__noinline__))

/* NULL: the call is made as written. Before one that no file with a region expects, what is noted
   is made. */
KFUSION_HERE kfusion_any kfusion_find_call(int index)
{
    const kfusion_any call = KFUSION_N(call)[KFUSION_CALLS + index];

    if (call == NULL && KFUSION_CALL_SETTLE != NULL)
        KFUSION_CALL_SETTLE();
    return call;
}

#define KFUSION_FORWARD(index, type, name, parameters, arguments)                             \
    KFUSION_ONCE type CL_API_CALL kfusion_call_##name parameters                              \
    {                                                                                         \
        const kfusion_any call_ = kfusion_find_call(index);                                   \
        if (call_ == NULL)                                                                    \
            return name arguments;                                                            \
        return ((__typeof__(&name))call_)arguments;                                           \
    }

#define KFUSION_FORWARD_VOID(index, name, parameters, arguments)                              \
    KFUSION_ONCE void CL_API_CALL kfusion_call_##name parameters                              \
    {                                                                                         \
        const kfusion_any call_ = kfusion_find_call(index);                                   \
        if (call_ == NULL)                                                                    \
            name arguments;                                                                   \
        else                                                                                  \
            ((__typeof__(&name))call_)arguments;                                              \
    }

KFUSION_HERE kfusion_guard kfusion_call_leave(void)
{
    const kfusion_guard guard = {NULL, 0, NULL};

    return KFUSION_CALL_LEAVE == NULL ? guard : ((kfusion_guard(*)(void))KFUSION_CALL_LEAVE)();
}

KFUSION_HERE void kfusion_call_come_back(kfusion_guard *guard)
{
    if (guard->began)
        ((void (*)(kfusion_guard *))KFUSION_CALL_COME_BACK)(guard);
}

#define KFUSION_OUTSIDE(call)                                                                 \
    __extension__({                                                                           \
        kfusion_guard kfusion_outside __attribute__((__cleanup__(kfusion_call_come_back),     \
                                                     __unused__)) = kfusion_call_leave();     \
        call;                                                                                 \
    })
