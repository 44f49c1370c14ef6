"""For each protection of closed regions the test that fails without it."""

_DEEP = "tests/host/closed/test_closed.py::test_opens_two_calls_deep[{}]"
_REGION = "tests/host/closed/test_closed.py::test_region[{}]"
_TOKENS = "tests/host/closed/test_closed_tokens.py::test_opens[{}]"
_MISFIT = "tests/host/closed/test_outside.py::test_no_macro_stands_for[{}]"
_FILES = "tests/host/closed/test_outside.py::test_files[{}]"
_CLOSED = "tests/host/closed/test_closed.py::test_stays_closed[{}]"

PROTECTED_BY: dict[str, str] = {
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
    "closed-settled-names": _MISFIT.format("member that is called"),
    "closed-declared-behind": _MISFIT.format("function that is declared behind a call"),
    "closed-in-brackets": _MISFIT.format("call in brackets"),
    "closed-compound-literals": _MISFIT.format("compound literal that may be kept"),
    "closed-cleanups": _DEEP.format("clean-up function of another file"),
    "closed-signals": _REGION.format("handler that uses OpenCL"),
    "closed-undeclared": _REGION.format("macro of a header that is not found"),
    "closed-entries": _REGION.format("jump into it"),
    "closed-anywhere": _REGION.format("thread that is ended from outside"),
    "closed-cpp-names": _TOKENS.format("unseen = 3;"),
    "closed-cpp-operators": _TOKENS.format("a = a + b;"),
    "closed-cpp-calls": _TOKENS.format("unknown_call(n);"),
    "closed-cpp-entries": _TOKENS.format("case 3: n = 1;"),
}
