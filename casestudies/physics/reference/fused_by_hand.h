/*
 * The fused operation of fused_by_hand.c.  It stands for the calls named in its
 * comment there: same operands, same numbers, same status.
 */
#ifndef FUSED_BY_HAND_H
#define FUSED_BY_HAND_H

#include "pool.h"

/* Before pool_shutdown. */
void pool_release_fused(void);

cl_int fused_step(Balls *balls, Balls *moved, Table *table, float dt);

#endif
