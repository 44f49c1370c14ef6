"""Random tests draw the same examples each time, unless `make fuzz` asks for others."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("CASESTUDIES_OPTIMISE", "-O0")  # read when casestudies is imported

settings.register_profile("tests", derandomize=True)
settings.register_profile("fuzz", derandomize=False, print_blob=True)
settings.load_profile("fuzz" if os.environ.get("KFUSION_FUZZ") else "tests")
