# Everything a person needs, from a fresh clone: make demo, make test, make lab.
# Another interpreter: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PY      = $(BIN)/python
PIP     = $(PY) -m pip --disable-pip-version-check --quiet
NPM     = tests/npm/node_modules/.ready
TWO     = $(MAKE) --no-print-directory --output-sync=target -j 2
TOUR    = notebooks/01-first-steps.ipynb
PYTEST ?= $(PY) -m pytest

# Tests start hundreds of interpreters: what the first compiles, the others read.
unexport PYTHONDONTWRITEBYTECODE

# Releases of ipykernel besides the newest, on which make kernels runs its tests.
OLDER  = 6.31 7.2
NEWEST = 7.4

.PHONY: help demo test check check-pages check-rest kernels browser conformance goldens pictures bench
.PHONY: lint format lab npm clean

help:
	@echo "make demo         show the main job in this terminal"
	@echo "make test         the tests that need Python alone"
	@echo "make check        all tests: Node, the npm servers and Chromium too"
	@echo "make kernels      the tests in kernels, on older releases of ipykernel"
	@echo "make browser      the tests in JupyterLab and Chromium alone"
	@echo "make conformance  the official conformance suite, a line a scenario"
	@echo "make goldens      write what cells show to the golden files anew"
	@echo "make pictures     make the pictures of docs/images anew"
	@echo "make bench        measure against the bare SDK and others, as ratios"
	@echo "make lint         ruff and mypy"
	@echo "make lab          open the tour in JupyterLab"
	@echo "make clean        remove what these made"

$(VENV)/made: 
	@$(PYTHON) -c 'import sys; sys.exit("mcp-magic needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + "; use make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/demo: $(VENV)/made pyproject.toml
	@$(PIP) install --editable .
	@touch $@

$(VENV)/test: $(VENV)/made pyproject.toml
	@$(PIP) install --editable . --group test
	@touch $(VENV)/demo $@

$(VENV)/ipykernels: $(VENV)/test tests/ipykernels.py
	@$(PY) -m tests.ipykernels
	@touch $@

$(VENV)/lint: $(VENV)/test
	@$(PIP) install --group lint
	@touch $@

$(VENV)/browser: $(VENV)/test
	@$(PIP) install --group browser
	@touch $@

$(VENV)/lab: $(VENV)/demo
	@$(PIP) install --editable '.[lab]'
	@touch $@

$(NPM): tests/npm/package.json
	@command -v npm > /dev/null || { echo "make check needs Node and npm"; exit 1; }
	@npm install --prefix tests/npm --no-audit --no-fund --no-package-lock --loglevel=error
	@touch $@

demo: $(VENV)/demo
	@$(PY) notebooks/play.py $(TOUR)

test: $(VENV)/test
	$(PYTEST)

# Two at a time: tests of pages and of kernels mostly wait.
check: lint $(VENV)/browser $(NPM) $(VENV)/ipykernels
	@$(TWO) check-pages check-rest $(OLDER:%=kernel-%)

check-pages: $(VENV)/browser
	$(PYTEST) --check --ipykernel $(NEWEST) tests/browser \
		-o cache_dir=$(VENV)/cache-pages

check-rest: $(VENV)/test $(NPM)
	$(PYTEST) --check --ipykernel $(NEWEST) --ignore tests/browser

kernels: $(VENV)/ipykernels
	@$(TWO) $(OLDER:%=kernel-%)

kernel-%: $(VENV)/ipykernels
	$(PYTEST) tests/notebook -m kernel --ipykernel $* \
		-o cache_dir=$(VENV)/ipykernels/cache-$*

browser: $(VENV)/browser
	$(PYTEST) --check tests/browser

conformance: $(VENV)/test
	@$(PY) -m tests.conformance

goldens: $(VENV)/browser
	@$(PY) -m tests.tour --write

pictures: $(VENV)/browser
	@$(PY) -m tests.tour --picture

bench: $(VENV)/test
	@$(PY) -m benchmarks $(BENCH)

lint: $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

npm: $(NPM)

lab: $(VENV)/lab
	$(BIN)/jupyter lab $(TOUR)

clean:
	rm -rf .venv .venv-* screenshots
	rm -rf tests/npm/node_modules tests/conformance/node_modules benchmarks/node_modules
