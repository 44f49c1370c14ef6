/* jacobi for one item */
float jacobi_at(const int x, const int y, global const float *start, const int width,
                const int height)
{
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0), below = min(y + 1, height - 1);
    float sum = start[y * width + x];
    sum += start[y * width + left] + start[y * width + right]; /* the row */
    sum += start[above * width + x] + start[below * width + x];
    return 0.2f * sum;
}

/* jacobi for one item, away from borders */
float jacobi_inside(const int x, const int y, global const float *start, const int width)
{
    float sum = start[(long)y * width + x];
    sum += start[(long)y * width + (x - 1)] + start[(long)y * width + (x + 1)]; /* the row */
    sum += start[(long)y * width - width + x] + start[(long)y * width + width + x];
    return 0.2f * sum;
}

/* jacobi for one item */
float jacobi_at_2(const int x, const int y, float (*from_rows)[262], const int edge,
                  const int width, const int height)
{
    float sum = from_rows[y & 3][x - edge];
    sum += from_rows[y & 3][max(0, x - 1) - edge] + from_rows[y & 3][min(x + 1, width - 1) - edge]; /* the row */
    sum += from_rows[max(0, y - 1) & 3][x - edge] + from_rows[min(y + 1, height - 1) & 3][x - edge];
    return 0.2f * sum;
}

/* jacobi for one item, away from borders */
float jacobi_inside_2(const int x, const int y, float (*from_rows)[262], const int edge)
{
    float sum = from_rows[y & 3][x - edge];
    sum += from_rows[y & 3][x - 1 - edge] + from_rows[y & 3][x + 1 - edge]; /* the row */
    sum += from_rows[(y - 1) & 3][x - edge] + from_rows[(y + 1) & 3][x - edge];
    return 0.2f * sum;
}

/* jacobi, jacobi, jacobi and jacobi in one kernel: an item walks down 64 rows of 256 columns */
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void jacobi_fused(global const float *restrict start, global float *restrict result,
                  const int height, const int width, const int columns, const int rows)
{
    const int first = 256 * get_group_id(0), last = min(first + 256, columns);
    const int top = 64 * get_group_id(1), bottom = min(top + 64, rows);
    const int edge = first - 3;
    float step1_rows[4][262];
    float step2_rows[4][262];
    float step3_rows[4][262];

    for (int row = top - 6, y; row < bottom; row++) {
        /* jacobi(start, step1, width, height), 3 rows ahead */
        y = row + 3;
        if (y >= max(top - 3, 0) && y < min(bottom + 3, rows) && y < height) {
            const int from = max(first - 3, 0), to = clamp(width, from, min(last + 3, columns));
            const int away = y >= 1 && y + 1 < height;
            const int start_2 = away ? clamp(1, from, to) : to;
            const int end = away ? clamp(width, start_2 + 1, to + 1) - 1 : to;

            for (int x = from; x < start_2; x++)
                step1_rows[y & 3][x - edge] = jacobi_at(x, y, start, width, height);
            for (int x = start_2; x < end; x++)
                step1_rows[y & 3][x - edge] = jacobi_inside(x, y, start, width);
            for (int x = end; x < to; x++)
                step1_rows[y & 3][x - edge] = jacobi_at(x, y, start, width, height);
        }

        /* jacobi(step1, step2, width, height), 2 rows ahead */
        y = row + 2;
        if (y >= max(top - 2, 0) && y < min(bottom + 2, rows) && y < height) {
            const int from = max(first - 2, 0), to = clamp(width, from, min(last + 2, columns));
            const int away = y >= 1 && y + 1 < height;
            const int start_2 = away ? clamp(1, from, to) : to;
            const int end = away ? clamp(width, start_2 + 1, to + 1) - 1 : to;

            for (int x = from; x < start_2; x++)
                step2_rows[y & 3][x - edge] = jacobi_at_2(x, y, step1_rows, edge, width, height);
            for (int x = start_2; x < end; x++)
                step2_rows[y & 3][x - edge] = jacobi_inside_2(x, y, step1_rows, edge);
            for (int x = end; x < to; x++)
                step2_rows[y & 3][x - edge] = jacobi_at_2(x, y, step1_rows, edge, width, height);
        }

        /* jacobi(step2, step3, width, height), 1 row ahead */
        y = row + 1;
        if (y >= max(top - 1, 0) && y < min(bottom + 1, rows) && y < height) {
            const int from = max(first - 1, 0), to = clamp(width, from, min(last + 1, columns));
            const int away = y >= 1 && y + 1 < height;
            const int start_2 = away ? clamp(1, from, to) : to;
            const int end = away ? clamp(width, start_2 + 1, to + 1) - 1 : to;

            for (int x = from; x < start_2; x++)
                step3_rows[y & 3][x - edge] = jacobi_at_2(x, y, step2_rows, edge, width, height);
            for (int x = start_2; x < end; x++)
                step3_rows[y & 3][x - edge] = jacobi_inside_2(x, y, step2_rows, edge);
            for (int x = end; x < to; x++)
                step3_rows[y & 3][x - edge] = jacobi_at_2(x, y, step2_rows, edge, width, height);
        }

        /* jacobi(step3, result, width, height) */
        y = row;
        if (y >= top && y < bottom && y < height) {
            const int from = first, to = clamp(width, from, last);
            const int away = y >= 1 && y + 1 < height;
            const int start_2 = away ? clamp(1, from, to) : to;
            const int end = away ? clamp(width, start_2 + 1, to + 1) - 1 : to;

            for (int x = from; x < start_2; x++)
                result[(long)y * width + x] = jacobi_at_2(x, y, step3_rows, edge, width, height);
            for (int x = start_2; x < end; x++)
                result[(long)y * width + x] = jacobi_inside_2(x, y, step3_rows, edge);
            for (int x = end; x < to; x++)
                result[(long)y * width + x] = jacobi_at_2(x, y, step3_rows, edge, width, height);
        }
    }
}
