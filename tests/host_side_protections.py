"""For each protection of the host side the test that fails without it."""

_TRAP = "tests/traps/test_traps.py::test_trap[{}]"
_HOST = "tests/host/traps/test_traps.py::test_trap[{}]"
_ATTACK = "tests/host/test_attacks.py::test_results_stay[{}]"

PROTECTED_BY: dict[str, str] = {
    name: _TRAP.format(trap)
    for name, trap in {
        "host-static-variables": "21_static_counter",
        "host-macros": "23_host_macro_redefined",
        "host-moved-past": "21_reads_back",
        "host-changed-value": "17_one_variable_two_arguments",
        "host-synchronised": "21_finish",
        "host-released": "21_release_after",
        "host-sticky-arguments": "17_sticky_from_init",
        "host-sticky-elsewhere": "17_sticky_elsewhere",
        "host-one-launch": "17_sticky_first_call",
        "host-jumps": "18_jumps_before_launch",
        "host-between": "22_return_between",
        "host-events": "20_unknown_wait_list",
        "host-queues": "20_two_queues",
        "host-libraries": "26_two_libraries",
        "host-results": "19_status_is_a_count",
        "host-status": "19_two_forms_of_status",
        "host-programs": "23_two_programs",
        "host-ranges": "03_different_range",
        "host-handles-exchanged": "01_handles_exchanged",
        "host-moving-simple": "21_calls_keep_their_places",
        "host-moving-failures": "19_call_that_fails_before_another",
        "host-liveness": "01_intermediate_read",
        "host-own-memory": "10_temporary_is_shared",
        "host-handed-back": "01_alias_from_a_function",
        "host-out-contradicted": "01_out_contradicted",
        "host-watched": "01_read_between_calls",
        "unsure": "01_later_call_returns_early",
        "host-readers": "21_later_call_transfers",
        "host-own-arguments": "17_argument_of_another_kernel",
        "host-left-behind": "17_left_as_an_argument",
        "host-builds": "23_predefined_macro",
        "host-program-queries": "24_counted_kernels",
        "guard-equal": "03_different_sizes",
        "guard-queues": "20_two_engines",
        "guard-pitch": "06_rows_that_overlap",
        "guard-required": "18_null_object",
        "guard-transfers": "10_transfer_to_an_alias",
        "guard-objects": "10_flags_of_an_alias",
        "guard-formats": "08_image_of_bytes",
        "guard-made": "09_image_made_again",
        "guard-disjoint": "10_one_vector_twice",
    }.items()
}
PROTECTED_BY["host-sync"] = _HOST.format("sync_annotations")
PROTECTED_BY["host-copied-handle"] = _HOST.format("copy_of_an_object")
PROTECTED_BY["host-cleanup"] = _ATTACK.format("l_cleanup")
PROTECTED_BY["guard-overlaps"] = _ATTACK.format("al_base")
