/* An old name of string.h */
#include <string.h>
