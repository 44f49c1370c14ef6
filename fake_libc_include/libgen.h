#ifndef FAKE_LIBGEN_H
#define FAKE_LIBGEN_H

char *basename(char *);
char *dirname(char *);

#endif
