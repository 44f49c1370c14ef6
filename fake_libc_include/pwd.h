#ifndef FAKE_PWD_H
#define FAKE_PWD_H

#include <_size_t.h>

typedef unsigned int uid_t, gid_t;
struct passwd { char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; char *pw_gecos, *pw_dir, *pw_shell; };

struct passwd *getpwnam(const char *);
struct passwd *getpwuid(uid_t);
struct passwd *getpwent(void);
int getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd * *);
int getpwuid_r(uid_t, struct passwd *, char *, size_t, struct passwd * *);
void setpwent(void);
void endpwent(void);

#endif
