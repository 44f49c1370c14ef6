"""Every diagnostic code and what it means, in one line.

`report/explanations.toml` says more of each, with an example.
"""

KINDS: dict[str, str] = {
    "KF1": "The input cannot be understood (an error: exit status 2; a warning of one region: 0)",
    "KF2": "A fusion that is not done, and why",
    "KF3": "Understood, but the request cannot be met (exit status 1)",
    "KF4": "Notes",
}

CODES: dict[str, str] = {
    "KF100": "the command line cannot be understood",
    "KF101": "a file cannot be read",
    "KF102": "a file is empty, binary or in UTF-16",
    "KF103": "a file is given twice, or two would be written to one place",
    "KF104": "a syntax error",
    "KF105": "a header is not found",
    "KF106": "there is no C compiler for preprocessing",
    "KF107": "preprocessing failed",
    "KF108": "C++ in a file that is read as C",
    "KF109": "a region that is not closed, or not followed by a block",
    "KF110": "nested regions",
    "KF111": "a region in a file that is not C",
    "KF112": "an annotation that cannot be read",
    "KF113": "the output folder would overwrite the inputs",
    "KF114": "no application with a region, or no kernels, among the files",
    "KF115": "a region inside a macro, or preprocessor lines inside a region",
    "KF116": "the output cannot be written",
    "KF117": "a kernel that is not read in time",
    "KF118": "OpenCL C that is not supported",
    "KF123": "a kernel that the source does not define",
    "KF125": "the arguments do not match the kernel's parameters",
    "KF127": "an unknown name in a region's list",
    "KF128": "a kernel or function that is defined twice",
    "KF129": "a launch in the notation of the Python API that cannot be read",
    "KF199": "an error in kfusion itself",
    "KF201": "items of one kernel need elements that other items write",
    "KF202": "the launches have different ranges",
    "KF203": "the index of an access is not understood",
    "KF204": "local memory, barriers or work-group functions",
    "KF205": "atomics, volatile or escaping pointers",
    "KF206": "images or samplers",
    "KF207": "one buffer is seen with two element types",
    "KF208": "the kernels are in different programs, which cannot be joined",
    "KF211": "a kernel is given shared virtual memory",
    "KF212": "a synchronisation annotation",
    "KF214": "a call between two launches for which the first must have been made",
    "KF215": "a launch that waits for events, or gives one",
    "KF216": "a macro or pragma has a different value where the fused kernel stands",
    "KF217": "a sub-expression has effects that cannot be moved",
    "KF218": "one element is written by one item and read by others",
    "KF219": "control flow that cannot be fused",
    "KF221": "required work-group sizes differ",
    "KF222": "printf in a kernel",
    "KF223": "a budget of the target is exceeded",
    "KF224": "fusing would not pay",
    "KF227": "the program asks for all kernels or counts them",
    "KF231": "--exact cannot keep an operation from being contracted",
    "KF232": "an image would be read and written, or written twice, in one kernel",
    "KF233": "a sampler may read another texel than the one at the coordinates",
    "KF234": "an image does not keep the values that are written to it",
    "KF235": "what would be computed again reads memory that the kernel stores: in place",
    "KF236": "an element that no item of the earlier call is known to make",
    "KF237": "it is not known which item makes an element: resampling",
    "KF238": "what an item makes cannot be computed again for another item",
    "KF239": "a read whose text cannot be replaced by what is computed again",
    "KF240": "steps that read two earlier states, or the buffer that they write",
    "KF241": "a region is not closed: what it calls may leave it, or use OpenCL unseen",
    "KF242": "what a region launches is not known",
    "KF243": "a kernel argument that is not set in the region",
    "KF244": "a kernel uses a name that is not declared",
    "KF301": "an annotation contradicts the code",
    "KF302": "strict: something was not fused",
    "KF303": "out or temp contradicts a later read",
    "KF304": "no OpenCL device, or no Oclgrind",
    "KF305": "the kernels do not build on the device",
    "KF306": "a region comes to more kernels than are required",
    "KF307": "what kfusion would write does not compile",
    "KF308": "a folder does not hold what kfusion would write",
    "KF401": "nothing in a region was fused",
    "KF402": "a region with fewer than two launches",
    "KF403": "a temporary may be read later",
    "KF404": "what out or temp names cannot be looked at",
    "KF405": "build options let the compiler change numbers",
}

# What would change a cut, where its reason has no better advice.
ADVICE: dict[str, str] = {
    "KF201": "in one kernel items wait only for those of their own group: such calls stay apart",
    "KF204": "let every item come to the barriers, declare local arrays in the outermost block, "
    "or move the call before or after those that do not need it",
    "KF205": "access buffers by plain indices: buffer[index]",
    "KF206": "kernels can be fused that read or write images with read_imagef, read_imagei, "
    "read_imageui, and the like of write_image; not those that do both to one (read_write)",
    "KF207": "declare the buffer with one element type in both kernels",
    "KF214": "move it before or after the region, or write two regions",
    "KF215": "leave the events out: launches of a queue in order need none",
    "KF216": "let macros and pragmas keep their meaning up to the end of the file, where the fused "
    "kernels are added",
    "KF217": "call built-in functions, or functions of the kernels' file that compute a value from "
    "values alone",
    "KF244": "declare it in the kernels' file; of a macro that the host gives when it builds them, "
    "say the value: -D NAME=VALUE",
    "KF218": "in one kernel items wait only for those of their own group: such calls stay apart",
    "KF219": "write it in a plainer form, or take the call out of the region",
    "KF222": "take the printf out, or the call out of the region",
    "KF223": "what fits is fused, in several kernels; --target and --budget say what devices have",
    "KF224": "kernels of their own are better here; a buffer of which parts of elements are "
    "stored (`p[i].x = ...`) stays in memory: store whole elements",
    "KF232": "a value goes from call to call in a variable if the first writes the texel, and the "
    "second reads it, in one place of their texts, under guards that imply those of the first and "
    "no other condition; "
    "let the result be another image than those that the region reads",
    "KF233": "read with a sampler of the kernels' file: CLK_NORMALIZED_COORDS_FALSE | "
    "CLK_FILTER_NEAREST",
    "KF234": "create the image with CL_RGBA and CL_FLOAT (read_imagef), CL_SIGNED_INT32 "
    "(read_imagei) or CL_UNSIGNED_INT32 (read_imageui)",
    "KF235": "let the result be another buffer than those that the earlier calls read",
    "KF236": "clamp the index, `min(x + 1, w - 1)`, or put the work under a guard, "
    "`if (x + 1 < w)`, with a scalar that ends the work of the earlier call, too",
    "KF237": "let each item store the element at its own ids, `t[y*w + x]`; calls between which "
    "pictures change their size stay apart",
    "KF238": "what is computed again must follow from an item's global ids and from memory: one "
    "element, stored once and under no condition but guards",
    "KF239": "read the element by its index, `t[i - 1]`, in the type that it is stored with, and "
    "not through a pointer; a function of the file may do it that only computes and returns, that "
    "stands under no `#if`, and that is called whatever the values are",
    "KF240": "let a step read one earlier state: what it needs of others may be kept beside it in "
    "one buffer, as a float2",
    "KF231": "write the access with the parameter itself, `a[i]`, instead of a pointer made of it",
    "KF242": "list the launches behind the annotation, runs(square(t, a), add(c, t, b)), or let "
    "the program record them: kfusion --for-recording, then --recorded",
    "KF241": "give kfusion the files of what the region calls, or move the call before or after "
    "the region",
}
