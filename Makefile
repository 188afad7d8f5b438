# Everything a user types. Both environments are built from the hashed locks, into .venv, and only when a lock changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
COMPILE := $(UV) pip compile pyproject.toml --quiet --python-version 3.11 --universal --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" --extra build

.PHONY: help demo test lint types generate fresh lock clean

help:
	@echo "make demo      check the sample portfolio against the sandbox and load a warehouse"
	@echo "make test      the whole test suite"
	@echo "make lint      ruff, formatting and lint"
	@echo "make types     pyright, strict"
	@echo "make generate  write the generated documents anew;  make fresh  fails when they are stale"
	@echo "make lock      resolve the dependencies anew"

$(UV):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.run: requirements.lock pyproject.toml | $(UV)
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

lock: | $(UV)
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra dev -c requirements.lock -o requirements-dev.lock
