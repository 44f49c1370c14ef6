"""For each protection of the kernel side, the test that must fail without it."""

from __future__ import annotations

_REFUSALS = "tests/graph/test_refusals.py"
_TRAPS = "tests/fuse/test_traps.py"
_SCOPES = "tests/fuse/test_traps_of_scopes.py"
_OWNERSHIP = "tests/graph/test_ownership.py"
_PLAN = "tests/graph/test_plan.py"
_POINTERS = "tests/fuse/test_pointers.py"
_IMAGES = "tests/fuse/test_images.py"
_VALUES = "tests/fuse/test_values.py"
_STENCILS = "tests/fuse/test_stencils.py"
_STRIPS = "tests/fuse/test_strips.py"
_CASES = "tests/cases/test_cases.py::test_case"

PROTECTED_BY: dict[str, str] = {
    # kernel
    "sections": "tests/kernel/test_sections.py::test_store_inside_kload",
    "narrow-indices": "tests/fuse/test_wrapping.py::test_sums_of_32_and_of_64_bits_are_other_"
    "elements[t[i + n] = a[i];-o[k] = t[k + n];]",
    "mixed-ids": "tests/fuse/test_strides.py::test_id_of_the_item_in_a_loop",
    "starting-again": "tests/fuse/test_strides.py::"
    "test_loop_without_sign_up_to_what_is_not_compared",
    "settled-structures": f"{_CASES}[structures: an option of the program puts a member in front "
    "of those that are compared]",
    "constants": "tests/fuse/test_exact.py::test_constants_are_rounded_as_other_numbers"
    "[float--0.3f-t[i]]",
    "written-out-always": f"{_CASES}[written_out: whether the function is called depends on a "
    "value]",
    "written-out-first": f"{_CASES}[written_out: the statement changes what the function gets "
    "before it is called]",
    "written-out-meaning": f"{_CASES}[written_out: a macro of the function means something else "
    "in the kernel]",
    "written-out-hidden": f"{_CASES}[written_out: the function reads a table of the file that the "
    "kernel has another variable for]",
    "members": "tests/fuse/test_members.py::test_members[neighbours need what is changed]",
    "one-number": "tests/fuse/test_chosen_items.py::test_what_one_item_stores_and_reads[calls4-2]",
    "elements": "tests/fuse/test_functions_of_elements.py::test_calls_that_stay[a value decides "
    "whether it is called]",
    "all-conditions": "tests/fuse/test_unguarded_work.py::test_conditions_are_others[more items]",
    "unchanged": "tests/fuse/test_offsets_in_arrays.py::"
    "test_numbers_that_change[an element is stored]",
    "settled-types": "tests/fuse/test_traps_of_names.py::"
    "test_trap_26_type_that_is_a_macro_in_one_kernel_only[]",
    "joins": f"{_POINTERS}::test_value_that_branches_do_not_agree_in",
    "whole-conditions": f"{_VALUES}::test_element_of_another_item[int k; if (i < n && t[i] > 1) "
    "k = i; else k = 0; o[i] = t[k];]",
    "loops": f"{_POINTERS}::test_value_that_a_loop_changes",
    "acting": "tests/fuse/test_early_ends.py::test_condition_that_changes_something[update]",
    "cases": "tests/fuse/test_early_ends.py::test_label_in_a_block[if]",
    "steps": "tests/fuse/test_wrapping.py::test_a_step_that_the_variable_cannot_hold[wider]",
    "ends": "tests/fuse/test_wrapping.py::test_a_sum_without_sign_that_is_zero_again["
    "uint z-if (z + 2u < (uint)x) return x - 2; return x;-again]",
    "wide": "tests/fuse/test_wrapping.py::test_numbers_of_64_bits_are_compared[sum]",
    "left": "tests/fuse/test_early_ends.py::test_return_among_the_work[work-before]",
    "cast": f"{_POINTERS}::test_elements_of_one_width[*((global int *)y + i) = x[i] * 9;-"
    "z[i] = *((global const int *)y + i);]",
    "passed": f"{_POINTERS}::test_pointer_that_is_not_followed",
    "one-width": f"{_POINTERS}::test_elements_of_two_widths",
    "doubtful-macros": "tests/kernel/test_pins.py::"
    "test_expression_with_a_default_is_that_or_given_by_the_options",
    "open-names": "tests/kernel/test_opened.py::"
    "test_a_name_that_the_build_may_define_as_a_read_is_not_fused",
    "pins": f"{_TRAPS}::test_trap_23_build_options_are_pinned",
    "uniform": "tests/fuse/test_together.py::test_barrier_that_some_items_may_not_reach[guard]",
    # graph: what a kernel must not have
    "synchronisation": f"{_REFUSALS}::test_kernel_after_square[barrier]",
    "pointers": f"{_REFUSALS}::test_kernel_after_square[atomic]",
    "images": f"{_REFUSALS}::test_images",
    "samplers": f"{_IMAGES}::test_call_after_invert[normalised]",
    "read-and-written": f"{_IMAGES}::test_call_after_invert[ping-pong]",
    "written-twice": f"{_IMAGES}::test_call_after_invert[written-twice]",
    "formats": f"{_IMAGES}::test_check_of_formats",
    "printf": f"{_REFUSALS}::test_kernel_after_square[printf]",
    "control-flow": f"{_REFUSALS}::test_kernel_after_square[goto]",
    "atomics": "tests/fuse/test_atomics.py::"
    "test_items_that_meet_in_an_atomic_operation_are_no_race",
    "unread": "tests/kernel/test_unread.py::test_kernel_that_is_not_read_in_time_stays_as_it_is",
    "unknown-calls": f"{_REFUSALS}::test_kernel_after_square[unknown-call]",
    # graph: what is computed again
    "always-made": "tests/fuse/test_written_otherwise.py::"
    "test_not_stored_on_all_ways[return without]",
    "narrow-rows": "tests/fuse/test_written_otherwise.py::"
    "test_extents_of_which_an_index_would_start_again[made inside]",
    "cut-sums": "tests/fuse/test_written_otherwise.py::"
    "test_extents_of_which_an_index_would_start_again[sums cut to 32 bits]",
    "not-its-own": "tests/fuse/test_items_computed_again.py::"
    "test_element_by_another_index_that_the_item_has_changed",
    "named": "tests/fuse/test_names_of_points.py::test_other_variable_with_the_name_of_the_loops["
    "{ int k = 5; s += t[j] + k; }]",
    # graph: what two kernels must agree in
    "one-program": f"{_REFUSALS}::test_different_programs",
    "required-sizes": f"{_REFUSALS}::test_required_sizes",
    "pragmas": f"{_TRAPS}::test_trap_23_contraction_pragma_differs",
    "macros": f"{_TRAPS}::test_trap_23_macro_redefined_between_two_kernels",
    "bounded": f"{_CASES}[03_ranges: two ranges, and the guard of a kernel is no "
    "bound: neither covers what the other does]",
    "rows": f"{_CASES}[flat: rows that leave out the first item of each]",
    "extents": f"{_CASES}[shifted: a guard that is no bound keeps the items where they are]",
    "few-ids": "tests/fuse/test_elements_of_items.py::test_a_uint_may_begin_again_at_0",
    "same-ranges": f"{_TRAPS}::test_trap_03_different_ranges_are_not_fused",
    "local-sizes": f"{_REFUSALS}::test_local_sizes_that_matter",
    "one-type": f"{_TRAPS}::test_trap_10_two_element_types",
    # graph: who owns an element
    "own-elements": f"{_REFUSALS}::test_write_after_read_of_neighbours",
    "bounds": f"{_TRAPS}::test_trap_06_reader_lacks_the_bound_of_the_row",
    "signs": f"{_OWNERSHIP}::test_sign_of_a_width_matters_where_items_may_read_what_others_write",
    "all-values": f"{_VALUES}::test_element_of_another_item[o[i] = t[min(i, w - 1)];]",
    "pitch": f"{_REFUSALS}::test_rows_that_may_overlap",
    "dimensions": f"{_REFUSALS}::test_range_of_more_dimensions_than_the_index",
    "wrapping": f"{_OWNERSHIP}::test_products_that_wrap_around_may_meet",
    "covering": "tests/kernel/test_narrow_proofs.py::test_cut[product-without-sign]",
    "uniform-groups": f"{_REFUSALS}::test_group_arithmetic_in_groups_that_are_not_full",
    "offsets": f"{_REFUSALS}::test_group_arithmetic_lacks_the_offset",
    "program-order": "tests/graph/test_partition.py::test_group_around_what_is_needed_in_between",
    "sure-kernels": f"{_CASES}[hidden_text: a kernel of another program that calls are moved past "
    "stores more with an option]",
    # graph: what one item may do for several
    "only-read": f"{_CASES}[12_work_groups: for a CPU weights are read where they are: not if "
    "the kernel changes its copy of them]",
    "own-item": f"{_CASES}[03_ranges: a kernel asks for more than its global id: one item for "
    "each]",
    "one-bound": f"{_CASES}[03_ranges: what holds for the last of several items does not hold "
    "for those before]",
    # graph: what items compute again
    "inside": f"{_STENCILS}::test_computed_again[inner elements made]",
    "alone": f"{_STENCILS}::test_not_computed_again[made by an item of the row above]",
    "once": "tests/fuse/test_numbers_that_wrap.py::"
    "test_an_index_that_starts_again[64 bits-conditions3]",
    "in-rows": f"{_STENCILS}::test_not_computed_again[next row]",
    "launched": f"{_STENCILS}::test_not_computed_again[behind the launch]",
    "unstored": f"{_STENCILS}::test_program_that_stays[overwrites what is read again]",
    "still": f"{_STENCILS}::test_program_that_stays[stores to its neighbour's element]",
    "fitting": "tests/fuse/test_numbers_that_wrap.py::"
    "test_numbers[an element behind the item's, by a huge number-any]",
    "as-before": f"{_STENCILS}::test_program_that_stays[what is as it was is overwritten later]",
    "same-domain": f"{_STENCILS}::test_program_that_stays[an item would compute what no item has: "
    "of a[-1]]",
    # graph: rows that are kept
    "window": f"{_STRIPS}::test_rows_are_kept_for_what_is_shown_to_be_near",
    "shape-apart": f"{_STRIPS}::test_what_keeps_its_shape[in place]",
    "periods": f"{_STRIPS}::test_what_wraps_around_does_so_after_all_items_of_a_row[to the second]",
    "in-limits": f"{_STRIPS}::test_offsets_are_constant_away_from_borders_only",
    "exact-domain": f"{_STRIPS}::test_domain_is_told_exactly[differs]",
    "in-memory": f"{_STENCILS}::test_what_is_loaded_ahead[one side]",
    "any-values": f"{_STENCILS}::test_what_may_be_computed_of_anything"
    "[const int j = t[y*w + max(x - 1, 0)]; o[i] = a[i] + j;-False]",
    # graph: what may live in a variable, and what must be stored
    "guards": f"{_TRAPS}::test_trap_06_guards_with_different_bounds",
    "guard-types": f"{_TRAPS}::test_trap_06_int_against_size_t_is_another_guard",
    "small-ids": "tests/fuse/test_narrower_guards.py::"
    "test_from_an_offset_on_an_int_need_not_be_the_id",
    "implied": "tests/fuse/test_narrower_guards.py::test_value_that_not_all_items_have_made"
    "[if (i < k) t[i] = 2 * a[i];-if (i < k - 1) c[i] = t[i] + a[i];]",
    "conditions": f"{_TRAPS}::test_trap_06_store_under_a_condition_does_not_overwrite",
    "guarded-values": f"{_VALUES}::test_element_that_is_stored"
    "[t[i] += 1; if (i < w) t[min(i, w - 1)] = 5;-1]",
    "whole-buffer": f"{_PLAN}::test_another_access_may_hit_the_same_element",
    "others-stores": "tests/fuse/test_together.py::"
    "test_what_other_items_of_the_group_stored_is_loaded_again",
    "same-tokens": "tests/fuse/test_macro_calls.py::"
    "test_a_call_that_would_lose_a_bracket_is_written_out",
    "storage": "tests/fuse/test_together.py::test_stages_share_a_local_array",
    "immovable": "tests/fuse/test_together.py::test_immovable_copy_stays",
    "order": f"{_TRAPS}::test_trap_07_several_stores_to_one_element",
    "scopes": f"{_SCOPES}::test_index_of_an_inner_block_is_not_that_of_another_stage",
    "above-stores": f"{_SCOPES}::test_value_is_not_loaded_above_a_store_in_its_block[condition]",
    "stored": f"{_TRAPS}::test_trap_01_intermediate_that_is_read_later_is_stored",
    "liveness": f"{_PLAN}::test_stencil_splits_the_region",
    "own-ids": f"{_CASES}[shifted: overwritten under guards that say the same of other items]",
    "groups-later": f"{_CASES}[group_sizes: groups of a launch that stays as written and "
    "overwrites have another size]",
    "parts": "tests/fuse/test_parts.py::test_two_items_store_parts_of_one_element",
    "partial": f"{_TRAPS}::test_trap_01_partial_overwrite_by_a_later_kernel_keeps_the_store",
    "untouched": "tests/graph/test_cpu.py::test_weights_that_another_stage_writes_are_copied",
    # synthesis
    "own-names": "tests/synthesis/test_alike.py::test_kernels_that_store_what_they_load"
    "[v_x + HALO-v_y + HALO-False]",
}
