enum { K_TWICE, K_SQUARE };
int other(int k);
int other(int k) { return k == K_SQUARE; }
