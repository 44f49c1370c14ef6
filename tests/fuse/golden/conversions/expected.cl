/* encode and decode in one kernel */
kernel void encode_decode(global const float *before, global float *after) {
    uint id = get_group_id(0) * get_local_size(0) + get_local_id(0);

    /* encode(bytes, before) */
    const uchar bytes_id = before[id] * 255.0f;

    /* decode(after, bytes) */
    after[id] = bytes_id / 255.0f;
}
