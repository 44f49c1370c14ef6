# make demo    fuse, build, run and compare the case studies
# make test    lint, type check, tests
# make fuzz    N=1000 random pipelines of each kind, others each time
# make fuzz-mutation   switch each legality check off; in how many of N=2000 pipelines is it missed?
# make fuzz-frontend   6,000 mutated inputs, command lines and calls of Python (193 * TIMES)
# make docs    the documents as a site, in site/
# make lint    ruff and mypy only
# make setup   what the others need, and nothing else
#
# Each does its own set-up the first time: a virtual environment in .venv and,
# as root, the Debian packages named in scripts/system-packages.sh.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Two processes or more: one waits for compilers while another one works.
JOBS   := $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 2 ? 2 : n > 4 ? 4 : n)))
PYTEST_FLAGS ?= -n $(JOBS)

# The OpenCL loader inside the pyopencl wheel shall find the same PoCL as C
# programs do.
export OCL_ICD_VENDORS ?= /etc/OpenCL/vendors

# Tests start kfusion hundreds of times: what is compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test fuzz fuzz-mutation fuzz-frontend docs lint setup clean
.DELETE_ON_ERROR:

demo: setup
	@POCL_MAX_PTHREAD_COUNT=2 $(BIN)/python -m casestudies.demo $(DEMO_FLAGS)

test: lint
	@$(BIN)/python -m pytest $(PYTEST_FLAGS)

N ?= 1000
SEED := $(shell date +%s)
fuzz: setup
	@KFUSION_FUZZ=1 KFUSION_FUZZ_SEED=$(SEED) KFUSION_TEST_EXAMPLES=$(N) \
		$(BIN)/python -m pytest $(PYTEST_FLAGS) tests/random/test_pipelines.py \
		tests/fuse/test_random_pipelines.py tests/fuse/test_random_meetings.py \
		tests/fuse/test_random_images.py tests/random/test_places.py \
		tests/stencils/test_random.py

fuzz-mutation: setup
	@N=$(if $(filter file,$(origin N)),2000,$(N)) $(BIN)/python -m tests.random.switched_off

TIMES ?= 31
fuzz-frontend: setup
	@KFUSION_TEST_TIMES=$(TIMES) $(BIN)/python -m pytest $(PYTEST_FLAGS) \
		tests/parse/test_robustness.py tests/cli/test_mutated_commands.py \
		tests/api/test_mutated_calls.py

# With --quiet it would let warnings pass.
docs: setup
	@$(BIN)/properdocs build --strict

lint: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

setup: $(VENV)/.system $(VENV)/.installed

$(VENV)/.system: scripts/system-packages.sh
	@sh scripts/system-packages.sh $(PYTHON)
	@mkdir -p $(VENV) && touch $@

$(VENV)/.installed: scripts/python-packages.sh pyproject.toml | $(VENV)/.system
	@sh scripts/python-packages.sh $(PYTHON) $(VENV)
	@touch $@

clean:
	rm -rf build site $(VENV)
