KFUSION_HERE void kfusion_enter(int index, kfusion_any function)
{
    KFUSION_N(call)[KFUSION_CALLS + index] = function;
}

/* Before constructors of the program's own, which may come to a region. */
static void kfusion_enter_all(void) __attribute__((__constructor__(101)));
static void kfusion_enter_all(void)
{
    KFUSION_CALL_SETTLE = (kfusion_any)kfusion_settle;
    KFUSION_CALL_LEAVE = (kfusion_any)kfusion_leave;
    KFUSION_CALL_COME_BACK = (kfusion_any)kfusion_come_back;
