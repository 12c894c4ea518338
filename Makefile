# `make demo` and `make test` do all the set-up: a virtual environment in .venv, held by constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test browser lint bench clean

demo: $(VENV)/installed
	$(BIN)/perturb build --name demo --json
	@echo "The data set lies in outputs/demo/snapshot; its card is outputs/demo/snapshot/README.md."

test: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest

# A real Chromium for the tests of pages; they are skipped without one, but never in CI.
browser:
	@if command -v chromium > /dev/null && command -v chromedriver > /dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends chromium chromium-driver > /dev/null; then :; \
	else echo "no Chromium (packages chromium and chromium-driver): tests of pages are skipped"; [ "$$CI" != true ]; fi

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed-dev
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV) || { echo "the venv module is missing: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,ray]'
	touch $@
