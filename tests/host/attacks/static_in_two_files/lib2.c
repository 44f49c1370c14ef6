#include "lib.h"
int other(void);
static int helper(void) { static int n = 0; return n; }
int other(void) { return helper(); }
