// Stored as bytes: every value is rounded towards zero on its way.
kernel void encode(global uchar *codes, global const float *values) {
    uint id = get_group_id(0) * get_local_size(0) + get_local_id(0);
    codes[id] = values[id] * 255.0f;
}

kernel void decode(global float *values, global const uchar *codes) {
    uint id = get_group_id(0) * get_local_size(0) + get_local_id(0);
    values[id] = codes[id] / 255.0f;
}
