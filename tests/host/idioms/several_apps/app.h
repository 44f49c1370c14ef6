#ifndef APP_H
#define APP_H

void app_norm(vec *a, vec *b, vec *c);

#endif
