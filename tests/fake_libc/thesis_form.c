/* An application in the thesis's form, as a compiler without kfusion sees it. */
#include <kfusion.h>

static void add(float *to, const float *x, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = x[i] + y[i];
}

/* These are ordinary names; the header must leave them alone. */
static int out(int value) { return value; }
static int temp(int value) { return value; }

int main(void)
{
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 5, 6, 7, 8 }, t[4], c[4];

    kfuse(x, y, out(c)) {
        add(t, x, y, 4);
        add(c, t, y, 4);
    }
    kfuse(x, y, temp(t), out(c)) { add(c, x, y, 4); }
    for (int i = 0; i < 2; i++)
        kfuse(&x, &y) {
            if (i == 1)
                break;
            add(c, c, y, 4);
        }
    kfuse() { add(t, c, c, 4); }

    /* c is x + 2y, and t is twice that */
    return t[3] == 40.0f ? out(temp(0)) : 1;
}
