"""Launches of `first` (calls_table.py) behind a call that settles.

Each would be noted, but for what its name says.
"""

from __future__ import annotations

from tests.runtime.standin.calls_table import EVENT, EXEC_INFO, WAIT

FIRST = "status = clEnqueueNDRangeKernel(queue, first, 1, NULL, &items, NULL, 0, NULL, NULL);"
T_IS = "clSetKernelArg(first, 0, sizeof {0}, &{0});"
NOTED = "as_it_is"
ALONE = {
    NOTED: FIRST,
    "unordered_queue": FIRST.replace("(queue", "(unordered"),
    "with_event": FIRST.replace("0, NULL, NULL", EVENT),
    "behind_event": FIRST.replace("0, NULL, NULL", WAIT),
    "group_too_large": FIRST.replace("NULL, 0", "&too_many_items, 0"),
    "group_that_does_not_divide": FIRST.replace("NULL, 0", "&three_items, 0"),
    "no_dimension": FIRST.replace("1, NULL", "0, NULL"),
    "no_range": FIRST.replace("&items", "NULL"),
    "host_memory": f"{T_IS.format('over_host')} {FIRST}",
    "part_of_host_memory": f"{T_IS.format('part_of_host')} {FIRST}",
    "mapped": f"{T_IS.format('v')} {FIRST}",
    "no_memory": "clSetKernelArg(first, 0, sizeof t, NULL); "
    f"clSetKernelArg(first, 2, sizeof count, &count); {FIRST}",
    "argument_refused": f"clSetKernelArg(first, 0, 3, &t); {FIRST}",
    "argument_set_by_a_clone": "new_kernel = clCloneKernel(first, NULL); "
    f"clSetKernelArg(new_kernel, 0, sizeof u, &u); {FIRST.replace('first', 'new_kernel')}",
    "exec_info": f"{EXEC_INFO.format('first')} {FIRST}",
    "shared": f"clSetKernelArgSVMPointer(first, 1, shared); {FIRST}",
    "kernel_without_step": f"set_other(); {FIRST.replace('first', 'other')}",
}
