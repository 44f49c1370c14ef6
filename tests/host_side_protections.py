"""For each protection of the host side the test that fails without it."""

_DEEP = "tests/host/closed/test_closed.py::test_opens_two_calls_deep[{}]"
_REGION = "tests/host/closed/test_closed.py::test_region[{}]"
_CLOSED = "tests/host/closed/test_closed.py::test_stays_closed[{}]"
_NO_MACRO = "tests/host/closed/test_outside.py::test_no_macro_stands_for[{}]"
_FILES = "tests/host/closed/test_outside.py::test_files[{}]"
_TOKENS = "tests/host/closed/test_closed_tokens.py::test_opens[{}]"
_CERTAIN = "tests/host/observed/test_contradictions.py::test_a_certain_read_is_an_error[{}]"
_BLOCK = "tests/api/test_fusing.py::test_{}"
_CASE = "tests/cases/test_cases.py::test_case[{}]"

PROTECTED_BY: dict[str, str] = {
    # Blocks of PyOpenCL
    "python-settles": _BLOCK.format("what_settles[copy_to_host]"),
    "python-host-memory": _BLOCK.format("what_the_host_sees_is_not_held_back"),
    "python-first-read": _BLOCK.format(
        "what_out_does_not_name_is_not_stored_unless_it_is_read_first"
    ),
    "python-out-aliases": _BLOCK.format("memory_that_shares_bytes_with_out_is_stored"),
    "host-fresh": _CASE.format(
        "loops: two steps whose number changes, between an object that is temporary and one that "
        "is not"
    ),
    "host-payers": _CASE.format("loops: as many steps as the command line says"),
    # Is a region closed?
    "closed-unknown": _DEEP.format("function that is not declared"),
    "closed-opening": _DEEP.format("fork"),
    "closed-settled": _CLOSED.format("exit"),
    "closed-assembler": _DEEP.format("assembler"),
    "closed-atomics": _DEEP.format("atomic variable"),
    "closed-teams": _DEEP.format("team that launches"),
    "closed-changed-functions": _DEEP.format("weak function"),
    "closed-inline": _DEEP.format("inline function of all files"),
    "closed-callbacks": _DEEP.format("event callback"),
    "closed-pointers": _DEEP.format("pointer that nothing assigns"),
    "closed-pointers-from-outside": _REGION.format("hook that other files may set"),
    "closed-handed-on": _DEEP.format("comparison that cannot be told"),
    "closed-macros": _FILES.format("own macro around exit"),
    "closed-settled-names": _FILES.format(
        "member with the name of a function that is settled before"
    ),
    "closed-in-brackets": _FILES.format("call in brackets in a file without OpenCL"),
    "closed-declared-behind": _FILES.format("declaration behind a header that calls OpenCL"),
    "closed-compound-literals": _NO_MACRO.format("compound literal that may be kept"),
    "closed-cleanups": _DEEP.format("clean-up function of another file"),
    "closed-signals": _REGION.format("handler that uses OpenCL"),
    "closed-undeclared": _REGION.format("macro of a header that is not found"),
    "closed-declared-here": _CLOSED.format("own function with a name of the library"),
    "closed-members": _REGION.format("member with the name of a function of OpenCL"),
    "closed-skipped": _REGION.format("call that another compiler sees"),
    "closed-entries": _REGION.format("jump into it"),
    "closed-anywhere": _REGION.format("thread that is ended from outside"),
    "closed-cpp-files": "tests/expected/test_cpp.py::test_what_tokens_do_not_show[header]",
    "closed-cpp-names": _TOKENS.format("unseen = 3;"),
    "closed-cpp-operators": _TOKENS.format("a = a + b;"),
    "closed-cpp-calls": _TOKENS.format("unknown_call(n);"),
    "closed-cpp-headers": "tests/host/closed/test_closed_tokens.py::"
    "test_headers_of_the_program[enum]",
    "closed-cpp-entries": _TOKENS.format("case 3: n = 1;"),
    # What is read later?
    "host-out-contradicted": _CERTAIN.format("out, read after"),
    # What may be taken for granted?
    "host-ranges": _CASE.format("03_ranges: one kernel covers half of what the others do"),
    "host-joined-names": _CASE.format(
        "programs: one program has a function of its own for one of the language"
    ),
    "host-joined-text": _CASE.format(
        "programs: a text ends with a backslash, which takes the next line"
    ),
    "host-joined-pragmas": _CASE.format("programs: one program may not contract operations"),
    "host-pins-alike": _CASE.format(
        "hidden_text: a kernel that calls are moved past stores more with an option of its build"
    ),
    "host-sync": _CASE.format(
        "hidden: annotations: a function is not fused with earlier calls that write its data"
    ),
    "host-program-queries": _CASE.format(
        "24_kernels_of_a_program: the library counts the kernels of its program"
    ),
    # What is asked when the program runs
    "guard-equal": _CASE.format(
        "06_guards: one guard in both kernels, and lengths that agree in some calls only"
    ),
    "guard-reach": _CASE.format(
        "stencils: neighbours that no item has made: the launches are shorter than the row"
    ),
    "guard-groups": _CASE.format(
        "12_work_groups: the host gives group sizes where kfusion expects none, and items of a "
        "group wait for each other"
    ),
    "guard-ranges": _CASE.format(
        "guards: kernels without a length are launched over one size in some runs only"
    ),
    "guard-disjoint": _CASE.format("10_one_memory: two pointers to one vector"),
    "guard-formats": _CASE.format(
        "08_conversions: an image rounds what is written to it, unless its format keeps it: "
        "that is seen at run time"
    ),
    "guard-types": _CASE.format(
        "06_guards: a length is an int for one kernel and a uint for another one: -1 is seen as "
        "what it is"
    ),
    "guard-pitch": _CASE.format(
        "06_guards: a row is overwritten whose elements another item has read: as the end of the "
        "row above"
    ),
}
