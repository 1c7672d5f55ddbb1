# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
# What an installation is made of; the package itself is used where it is, but for its loops in C.
INSTALLED := pyproject.toml hatch_build.py bnc2d/version.py $(wildcard bnc2d/base/kernels/*.[ch])
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Most of what pip would compile is never imported; what is imported is compiled once, also where the environment
# (often a container's) forbids to keep it.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
# Anew where another Python made it.
VENV := { $(PYTHON) -m venv .venv || $(PYTHON) -m venv --clear .venv; }
TOGETHER := $(MAKE) --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) -j 2

.PHONY: setup machine demo test lint check lowest docs bench fuzz long clean

setup: $(STAMP)

$(STAMP): $(INSTALLED)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bnc2d needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	$(VENV)
	$(PIP) --editable '.[dev]'
	@touch $(STAMP)

demo: .venv/.core
	$(BIN)/bnc2d demo

# The demo needs the core only, so a first look does not wait for the test tools.
.venv/.core: $(INSTALLED)
	if test -e $(STAMP); then $(MAKE) setup; else $(VENV) && $(PIP) --editable .; fi
	@touch .venv/.core

# A browser and shells for the tests that want one, where they can be installed.
machine:
	$(PYTHON) tests/machine.py

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: setup
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

docs: setup
	$(BIN)/sphinx-build -W --keep-going -n -q -b html docs build/docs

# The tests come last: their last line names what was not tried on this machine, which in CI is a failure.
test:
	@$(TOGETHER) setup machine
	@$(TOGETHER) lint docs
	@$(MAKE) --no-print-directory check

# With the oldest releases of all libraries that pyproject.toml allows.
lowest:
	$(PYTHON) tests/lowest.py $(JOBS)

bench: setup
	$(BIN)/python benchmarks/posteriors.py

fuzz: setup
	$(BIN)/python -m tests.fuzz --files 20000

long: setup
	$(BIN)/python -m tests.long --jobs $(JOBS)
	$(BIN)/python -m tests.long --jobs $(JOBS) --extreme --seeds 3000
	$(BIN)/python -m tests.long --jobs $(JOBS) --routes --seeds 3000
	$(BIN)/python -m tests.long --jobs $(JOBS) --knowledge --seeds 3000
	$(BIN)/python -m tests.long --jobs $(JOBS) --probable --seeds 2000
	$(BIN)/python -m tests.long --jobs $(JOBS) --suite
	$(BIN)/python -m tests.long --jobs $(JOBS) --scores --seeds 1000

clean:
	rm -rf .venv build dist out bnc2d-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
