/* ==== Conditions: what generated functions ask of noted launches ========================== */

KFUSION_HERE size_t kfusion_size(const kfusion_noted *launch, cl_uint argument)
{
    return launch->arguments[argument].size;
}

/* Equal to the byte. */
KFUSION_HERE int kfusion_same(const kfusion_noted *a, cl_uint i, const kfusion_noted *b, cl_uint j)
{
    const kfusion_argument *left = &a->arguments[i], *right = &b->arguments[j];

    if (left->size != right->size || (left->value == NULL) != (right->value == NULL))
        return 0;
    return left->value == NULL || kfusion_equal(left->value, right->value, left->size);
}

/* Global size and offset: of further dimensions there is one item, with the id 0. */
KFUSION_HERE int kfusion_same_range(const kfusion_noted *a, const kfusion_noted *b)
{
    return memcmp(a->global, b->global, sizeof a->global) == 0 &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

/* The local size, or none in both. */
KFUSION_HERE int kfusion_same_groups(const kfusion_noted *a, const kfusion_noted *b)
{
    return a->has_local == b->has_local && memcmp(a->local, b->local, sizeof a->local) == 0;
}

/* In so many dimensions, as above. */
KFUSION_HERE int kfusion_in_dimensions(const kfusion_noted *a, cl_uint dimensions)
{
    cl_uint d;

    for (d = dimensions; d < a->dimensions; d++)
        if (a->global[d] != 1 || a->offset[d] != 0)
            return 0;
    return a->dimensions >= dimensions;
}

KFUSION_HERE int kfusion_no_offset(const kfusion_noted *launch)
{
    return launch->offset[0] == 0 && launch->offset[1] == 0 && launch->offset[2] == 0;
}

/* A local size is given, and divides the global size. */
KFUSION_HERE int kfusion_full_groups(const kfusion_noted *launch)
{
    return launch->has_local && launch->global[0] % launch->local[0] == 0 &&
           launch->global[1] % launch->local[1] == 0 && launch->global[2] % launch->local[2] == 0;
}

/* A local size is given, and is the global size. */
KFUSION_HERE int kfusion_one_group(const kfusion_noted *launch)
{
    return launch->has_local &&
           memcmp(launch->local, launch->global, sizeof launch->local) == 0;
}
