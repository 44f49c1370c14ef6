#ifndef FAKE_SYS_SELECT_H
#define FAKE_SYS_SELECT_H

#include <_time_types.h>

#define FD_SETSIZE 1024
typedef long fd_mask;
typedef struct { fd_mask fds_bits[FD_SETSIZE / (8 * sizeof(fd_mask))]; } fd_set;
#define FAKE_FD_WORD(fd, set) ((set)->fds_bits[(fd) / (8 * sizeof(fd_mask))])
#define FAKE_FD_BIT(fd) ((fd_mask)(1UL << ((fd) % (8 * sizeof(fd_mask)))))
#define FD_SET(fd, set) ((void)(FAKE_FD_WORD(fd, set) |= FAKE_FD_BIT(fd)))
#define FD_CLR(fd, set) ((void)(FAKE_FD_WORD(fd, set) &= ~FAKE_FD_BIT(fd)))
#define FD_ISSET(fd, set) ((FAKE_FD_WORD(fd, set) & FAKE_FD_BIT(fd)) != 0)
#define FD_ZERO(set) ((void)(*(set) = (fd_set){ { 0 } }))

int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);

#endif
