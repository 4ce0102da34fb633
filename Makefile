# `make` lists the targets. Every target sets up what it needs in .venv, once.

PYTHON ?= python3

VENV := .venv
BIN  := $(VENV)/bin

# One environment, filled in steps: what users run, then the tools of developers and of the docs.
RUN  := $(VENV)/.ready-run
DEV  := $(VENV)/.ready-dev
DOCS := $(VENV)/.ready-docs
KERNELS := $(VENV)/.ready-kernels
NODE := client/typescript/node_modules/.ready
PROGRAMS := $(VENV)/.ready-programs
BROWSER := $(VENV)/.ready-browser

# Tests with their assertions rewritten stay as bytecode, as each of three workers imports them all.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 3 --dist worksteal

# Study files in `studies`; the scripts of the same names make their tables.
STUDIES := lost_games_development lost_games targets price least_lost

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

##@ Use

.PHONY: setup
setup: $(KERNELS)  ## build the private environment with .venv/bin/copyproof, and compile all kernels

.PHONY: paper
paper: $(KERNELS)  ## reproduce the paper: figures, claims and report in out/paper/index.html
	$(BIN)/copyproof paper --out out/paper

.PHONY: bench
bench: $(KERNELS)  ## measure the speed, alone and against other libraries
	$(BIN)/python benchmarks/run.py

.PHONY: study
study: $(KERNELS)  ## test the default on mixed and held-out markets
	for name in $(STUDIES); do \
	  $(BIN)/copyproof study run studies/$$name.toml --out out/studies/$$name || exit; done
	for name in $(filter-out lost_games_development,$(STUDIES)); do \
	  $(BIN)/python studies/$$name.py || exit; done

.PHONY: docs
docs: $(DOCS)  ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

##@ Develop

.PHONY: dev
dev: $(DEV) $(KERNELS)  ## build the environment of a developer: tools, and all tests of Python

.PHONY: quick
quick: dev  ## lint, then the tests of what differs from main, in two minutes
	$(BIN)/python -m tools.quick

.PHONY: lint
lint: $(DEV)  ## check format, style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: test
test: lint $(DOCS) $(KERNELS) $(NODE) $(PROGRAMS) $(BROWSER)  ## lint, then the tests and doctests but the slow ones
	$(PYTEST)

.PHONY: test-all
test-all: lint $(DOCS) $(KERNELS) $(NODE) $(PROGRAMS) $(BROWSER)  ## lint, then all tests, the slow ones too
	$(PYTEST) -m ""

.PHONY: coverage
coverage: $(DEV) $(DOCS) $(KERNELS) $(NODE) $(PROGRAMS) $(BROWSER)  ## run the tests and say which lines of Python they reach
	rm -rf out/coverage
	mkdir -p out/coverage
	$(BIN)/coverage run -m pytest -n 2 -q
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

# Coq comes along where it is missing: 141 MB of Debian's packages.
.PHONY: proofs
proofs: $(RUN)  ## check the machine proofs with Coq, and print the axioms of every theorem
	$(BIN)/python -m tools.proofs

.PHONY: sizes
sizes: $(RUN)  ## count the lines of code, and list functions that are too long
	$(BIN)/python -m tools.sizes

.PHONY: house
house: $(DEV) $(KERNELS)  ## draw the packages and the walks in CONTRIBUTING.md anew
	$(BIN)/python -m tools.house

.PHONY: clients
clients: $(DEV) $(NODE)  ## make the blocking client, and the types of the TypeScript one, anew
	$(BIN)/python -m tools.clients

.PHONY: format
format: $(DEV)  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# With the oldest Python at hand, as some packages drop old patch releases: 3.11.2 is Debian 12's.
.PHONY: pins
pins:  ## resolve all dependencies anew and write them to constraints.txt
	@$(check_python)
	rm -rf .pins
	$(PYTHON) -m venv .pins
	.pins/bin/python -m pip -qq --disable-pip-version-check install ./client '.[dev,docs,gpu]'
	.pins/bin/python -m pip --disable-pip-version-check freeze --exclude copyproof --exclude copyproof-client > .pins/freeze.txt
	@! grep -vE '^[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+$$' .pins/freeze.txt || \
	  { echo 'error: the lines above are not plain name==version pins' >&2; exit 1; }
	{ echo '# Pins of all dependencies (run, dev, docs, gpu). Regenerate with `make pins`.'; \
	  cat .pins/freeze.txt; } > constraints.txt
	rm -rf .pins

.PHONY: clean
clean:  ## remove the environment and everything made
	rm -rf $(VENV) .venv.lock .pins out build dist docs/_build
	rm -rf client/typescript/node_modules client/typescript/dist
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src client tests tools benchmarks studies docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

.PHONY: help
help:  ## this list
	@awk 'BEGIN { FS = ":.*## "; print "make TARGET [PYTHON=python3.12]" } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- the environment -------------------------------------------------------------------------

$(RUN): pyproject.toml client/pyproject.toml constraints.txt tools/install.py
	@$(call install,.[service])
$(KERNELS): $(RUN) tools/compile_kernels.py $(wildcard src/copyproof/engine/*.py)
	@$(BIN)/python -m tools.compile_kernels
	@touch $@
$(DEV): $(RUN)
	@$(call install,.[dev])
$(DOCS): $(RUN)
	@$(call install,.[docs])
# Without node, or without a way to its packages, all but the TypeScript client is tested.
$(NODE): client/typescript/package-lock.json
	@if ! command -v npm >/dev/null; then echo 'warning: no npm, so the TypeScript client is not tested' >&2; \
	elif (cd client/typescript && npm ci --silent); then touch $@; \
	else echo 'warning: `npm ci` failed, so the TypeScript client is not tested' >&2; fi
# Without apt, or without a way to its packages, the tests say which program they lack.
$(PROGRAMS): $(RUN) tools/programs.py
	@if $(BIN)/python -m tools.programs; then touch $@; \
	else echo 'warning: so some files in deploy are not tested with the programs they are for' >&2; fi
# The machine's own Chromium, else one from a package; without any, the tests of pages say so.
$(BROWSER): $(RUN) tools/browser.py
	@if $(BIN)/python -m tools.browser; then touch $@; \
	else echo 'warning: so the pages are not tested in a browser' >&2; fi

# Programs in an environment hold its full path, so a copied or moved one is built anew.
ifneq ($(shell cat $(VENV)/.root 2>/dev/null),$(CURDIR))
.PHONY: $(RUN) $(DEV) $(DOCS)
endif

define check_python
"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
  echo "error: copyproof needs Python 3.11 or newer, and $(PYTHON) is" \
       "$$("$(PYTHON)" --version 2>/dev/null || echo missing);" \
       "try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
endef

# $(call install,REQUIREMENT): make the environment if need be, then install into it. Two makes at
# once take turns (where flock exists), and the second finds the work done.
define install
set -e; \
if command -v flock >/dev/null; then exec 9>.venv.lock; flock 9; fi; \
if [ "$$(cat $(VENV)/.root 2>/dev/null)" = "$(CURDIR)" ] && $(BIN)/python -c '' 2>/dev/null; then \
  if [ -e $@ ] && [ -z "$$(find $^ -newer $@)" ]; then exit 0; fi; \
else \
  $(check_python); \
  echo "Making the environment $(VENV) with $$("$(PYTHON)" --version)"; \
  "$(PYTHON)" -m venv --clear $(VENV); \
  printf '%s\n' "$(CURDIR)" > $(VENV)/.root; \
fi; \
echo "Installing $(1)"; \
$(BIN)/python tools/install.py -e ./client -e '$(1)'; \
touch $@
endef
