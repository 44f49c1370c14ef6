/* ==== How files without a region reach the run time ======================================= */

/* Each file with a region enters its functions here before the program's own code runs; a program
   without such a file has NULLs. A function of OpenCL stands behind these: */
#ifndef KFUSION_CALLS
#define KFUSION_CALLS 3
typedef void (*kfusion_any)(void);

#ifdef __cplusplus
extern "C" {
#endif
KFUSION_SHARED kfusion_any KFUSION_N(call)[KFUSION_CALLS + KFUSION_FUNCTIONS];
#ifdef __cplusplus
}
#endif

#define KFUSION_CALL_SETTLE KFUSION_N(call)[0]
#define KFUSION_CALL_LEAVE KFUSION_N(call)[1]
#define KFUSION_CALL_COME_BACK KFUSION_N(call)[2]
#endif
