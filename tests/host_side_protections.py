"""For each protection of the host side the test that fails without it."""

_TRAP = "tests/host/traps/test_traps.py::test_trap[{}]"
_ATTACK = "tests/host/test_attacks.py::test_results_stay[{}]"

PROTECTED_BY: dict[str, str] = {
    name: _TRAP.format(trap)
    for name, trap in {
        "host-static-variables": "static_counter",
        "host-macros": "host_macro_redefined",
        "host-moved-past": "reads_back",
        "host-changed-value": "one_variable_two_arguments",
        "host-synchronised": "finish",
        "host-released": "release_after",
        "host-sticky-arguments": "sticky_from_init",
        "host-sticky-elsewhere": "sticky_elsewhere",
        "host-one-launch": "sticky_first_call",
        "host-jumps": "jumps_before_launch",
        "host-between": "return_between",
        "host-sync": "sync_annotations",
        "host-events": "unknown_wait_list",
        "host-queues": "two_queues",
        "host-libraries": "two_libraries",
        "host-results": "status_is_a_count",
        "host-status": "two_forms_of_status",
        "host-programs": "two_programs",
        "host-ranges": "different_range",
        "host-liveness": "intermediate_read",
        "host-own-memory": "temporary_is_shared",
        "host-copied-handle": "copy_of_an_object",
        "host-handed-back": "alias_from_a_function",
        "host-out-contradicted": "out_contradicted",
        "host-watched": "read_between_calls",
        "unsure": "later_call_returns_early",
        "host-readers": "later_call_transfers",
        "host-own-arguments": "argument_of_another_kernel",
        "host-left-behind": "left_as_an_argument",
        "host-builds": "predefined_macro",
        "host-program-queries": "counted_kernels",
        "guard-equal": "different_sizes",
        "guard-queues": "two_engines",
        "guard-required": "null_object",
        "guard-transfers": "transfer_to_an_alias",
        "guard-objects": "flags_of_an_alias",
        "guard-disjoint": "one_vector_twice",
    }.items()
}
PROTECTED_BY["host-cleanup"] = _ATTACK.format("l_cleanup")
PROTECTED_BY["guard-overlaps"] = _ATTACK.format("al_base")
