"""The applications once more, for other fusers: one module for each.

``run(application, inputs, size, repeats)`` gives the result and the kernel times in
milliseconds, or raises ``NotPossibleError``. ``HOW`` says how the times are taken.
"""
