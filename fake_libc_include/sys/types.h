#ifndef FAKE_SYS_TYPES_H
#define FAKE_SYS_TYPES_H

#include <_size_t.h>

/* Processes, users and files */
typedef int pid_t, key_t, clockid_t;
typedef unsigned int uid_t, gid_t, id_t, mode_t, useconds_t;
typedef long ssize_t, off_t, blksize_t, blkcnt_t, time_t, clock_t, suseconds_t;
typedef unsigned long dev_t, ino_t, nlink_t, fsblkcnt_t, fsfilcnt_t;
typedef long off64_t;
typedef char *caddr_t;

/* Old names of the integers */
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ u_int8_t;
typedef __UINT16_TYPE__ u_int16_t;
typedef __UINT32_TYPE__ u_int32_t;
typedef __UINT64_TYPE__ u_int64_t;

#endif
