#ifndef KFUSION_H
#define KFUSION_H

/*
 * For applications that name their regions in the thesis's form:
 *
 *     kfuse(x, y, out(c)) { add(t, x, y); scale(c, t); }
 *
 * Compiled without kfusion, the annotation vanishes and a plain block remains:
 * the same calls, unfused. out(...) and temp(...) need no macros of their own,
 * because they are seen only within this list. The pragma form,
 * #pragma kfuse(x, y, out(c)), needs no header.
 */
#define kfuse(...)

#endif
