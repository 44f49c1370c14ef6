#ifndef FAKE_FEATURES_H
#define FAKE_FEATURES_H

#define __GLIBC__ 2
#define __GLIBC_MINOR__ 36
#define __GLIBC_PREREQ(major, minor) (((major) << 16) + (minor) <= (2 << 16) + 36)

#endif
