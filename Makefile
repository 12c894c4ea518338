# `make demo` and `make test` do all the set-up: a virtual environment in .venv, held by constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Processes that share the tests; a file of tests stays in one of them.
WORKERS ?= 2
# Compiled modules are kept: tests and the commands that they start load in half the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow coverage browser harness trackers lint docs bench clean

demo: $(VENV)/installed
	$(BIN)/perturb build

test: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

# What takes more than a few seconds each: kills, Ray clusters, many thousand rows. `.ci/run` runs both.
test-slow: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m slow

coverage: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --cov perturb --cov-report term:skip-covered

# A real Chromium for the tests of pages; they are skipped without one, but never in CI.
browser:
	@if command -v chromium > /dev/null && command -v chromedriver > /dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends chromium chromium-driver > /dev/null; then :; \
	else echo "no Chromium (packages chromium and chromium-driver): tests of pages are skipped"; [ "$$CI" != true ]; fi

# Inspect, lm-evaluation-harness and lighteval, which run a snapshot in tests/snapshots/harness. They need versions that
# contradict ours and each other's; the tests are skipped without them, but never in CI.
harness: .venv-harness/installed .venv-lighteval/installed

# Weights & Biases and MLflow, for the recipes of docs/python.md; their tests are skipped without them.
trackers: .venv-trackers/installed

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation as a site in build/site; nothing is loaded from the network.
docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file .github/mkdocs.yml

bench: $(VENV)/installed-dev
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf $(VENV) .venv-harness .venv-lighteval .venv-trackers build dist .mypy_cache .ruff_cache .pytest_cache

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV) || { echo "the venv module is missing: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,docs,ray]'
	touch $@

.venv-harness/installed: constraints-harness.txt
	$(PYTHON) -m venv .venv-harness
	.venv-harness/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-harness.txt \
		inspect-ai openai 'lm-eval[api]'
	touch $@

.venv-trackers/installed: pyproject.toml constraints-trackers.txt
	$(PYTHON) -m venv .venv-trackers
	.venv-trackers/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-trackers.txt \
		mlflow wandb --editable .
	touch $@

# lighteval fetches the data of a benchmark of its own as it starts, unless there is a file of that name.
.venv-lighteval/installed: constraints-lighteval.txt
	$(PYTHON) -m venv .venv-lighteval
	.venv-lighteval/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-lighteval.txt \
		torch 'lighteval[litellm]'
	for folder in .venv-lighteval/lib/python3.*/site-packages/lighteval/tasks/tasks; do touch $$folder/tinyBenchmarks.pkl; done
	touch $@
