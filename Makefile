# One file to start everything. `make help` lists what it can do.
# It needs python3 (3.11 or newer) and make; the rest is set up in .venv and node_modules, from the
# locks, once. After that it works offline.

PYTHON ?= python3
SERVE ?= 1
BROWSER ?= 1
PORT ?= 8000
APP ?= notebooks/01-build-a-context.ipynb

BIN := .venv/bin
READY := .venv/packages .venv/project node_modules/ready
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-cache-dir
export PORT
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Voila's settings, and its template without CDN links; JupyterLab without its question about news.
export JUPYTER_PATH := $(CURDIR)/widgets/jupyter/share:$(JUPYTER_PATH)
export JUPYTER_CONFIG_PATH := $(CURDIR)/widgets/jupyter/etc:$(JUPYTER_CONFIG_PATH)

.DEFAULT_GOAL := help
.PHONY: help setup book test check lab voila bench picture soak lock clean

help: ## list these commands
	@echo "make COMMAND, where COMMAND is one of"
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' Makefile

book: setup ## build the chapter and serve it on 127.0.0.1 (SERVE=0: only build; PORT=8000)
	@$(BIN)/python -m book._tools.build $(if $(filter 0,$(SERVE)),,--serve)

lab: setup ## open the labs in JupyterLab
	@$(BIN)/jupyter lab notebooks $(if $(filter 0,$(shell id -u)),--allow-root) --LabApp.news_url= \
	  --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

voila: setup ## open the first lab as an app (APP=notebooks/02-policies.ipynb: the second)
	@$(BIN)/voila $(APP)

test: setup check ## run every check and every test (BROWSER=0: without the browser tests)
	@$(if $(filter 0,$(BROWSER)),,$(BIN)/python -m tests.browser.chromium)
	@$(BIN)/python -m book._tools.build
	@$(BIN)/python -m pytest -n 2

check: setup ## run only the checks: ruff, mypy, tsc
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@node_modules/.bin/tsc

bench: setup .venv-bench/packages ## measure speed, ours and others' (no limits are checked)
	@$(BIN)/python -m pytest tests/benchmarks -q -o python_files='bench_*.py'
	@$(BIN)/python -m tests.benchmarks.compare

picture: setup ## take the picture in README.md again
	@$(BIN)/python -m tests.browser.picture

soak: setup ## run a million random conversations through the policies (N=10000: fewer)
	@$(BIN)/python -m tests.soak

setup: $(READY) ## set up .venv and node_modules from the locks

.venv/packages: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "$(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv from requirements.lock (once, about a minute)"
	@$(PYTHON) -m venv .venv
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

.venv/project: pyproject.toml setup.py | .venv/packages
	@$(PIP) install --no-deps --no-index --no-build-isolation --editable .
	@touch $@

node_modules/ready: package-lock.json | .venv/packages
	@echo "Setting up node_modules from package-lock.json"
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --cache .venv/npm-cache
	@touch $@

# The libraries that ours are compared with, apart from everything else.
.venv-bench/packages: tests/benchmarks/compare/requirements.lock | .venv/packages
	@echo "Setting up .venv-bench (once, about a minute)"
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip --quiet --disable-pip-version-check --no-cache-dir \
	  install --require-hashes -r $<
	@touch $@

lock: ## write the locks anew (needs uv)
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-header \
	  --no-emit-index-url --quiet requirements.in -o requirements.lock
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-header \
	  --no-emit-index-url --quiet tests/benchmarks/compare/requirements.in \
	  -o tests/benchmarks/compare/requirements.lock
	npm install --package-lock-only --omit-lockfile-registry-resolved

clean: ## remove what was built (.venv and node_modules stay)
	rm -rf _build dist build *.egg-info
