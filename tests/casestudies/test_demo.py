import numpy as np

from casestudies.demo import describe_difference, format_table, last_iteration


def values(*numbers: float) -> bytes:
    return np.array(numbers, np.float32).tobytes()


def test_only_identical_bits_have_no_difference() -> None:
    assert describe_difference(values(1, 2), values(1, 2), np.float32) == "0"
    assert describe_difference(values(0.0), values(-0.0), np.float32) == "bits of equal numbers"


def test_largest_difference_is_absolute() -> None:
    assert describe_difference(values(1, 5), values(1.5, 3), np.float32) == "2"


def test_missing_results_are_a_difference() -> None:
    assert describe_difference(values(1, 2), values(1), np.float32) == "8 and 4 bytes of results"


def test_nan_is_a_difference_from_a_number() -> None:
    assert describe_difference(values(1), values(float("nan")), np.float32) == "nan"


def test_last_iteration_is_read_from_the_residuals() -> None:
    printed = "   0  1.0e+00  0x1p+0\n  17  1.5e-01  0x1p-3\ntrue residual: 1e-1\n"
    assert last_iteration(printed) == 17
    assert last_iteration("time_ms: 3.5\n") == 0


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert format_table([("a", "long"), ("wider", "b")]) == "a      long\n-----  ----\nwider  b"
