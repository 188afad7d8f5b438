# Everything a user types. Both environments are built from the hashed locks, into .venv, and only when a lock changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
BUDGET ?= 1500
# One more than the cores of a small machine: tests wait for disks and for other processes.
WORKERS ?= 3
# Which of the long tests: 1/2 and 2/2 are the two halves.
PART ?= 1/1
COMPILE := $(UV) pip compile pyproject.toml --quiet --python-version 3.11 --universal --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" --extra build

# Certificates of the system's own store, as pip uses them: an index behind a company's proxy has no others.
export UV_SYSTEM_CERTS := 1
export UV_NATIVE_TLS := 1

# Without bytecode every process that a test starts, and every worker, compiles the modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo dashboard test test-long test-vast lint types generate fresh bench bench-smoke scale audit lock clean

help:
	@echo "make demo      check the sample portfolio against the sandbox and load a warehouse"
	@echo "make dashboard the live dashboard over what the demo published"
	@echo "make test      the tests, some minutes;  make test-long  those that take a while;  make test-vast  what takes an hour"
	@echo "make lint      ruff, formatting and lint"
	@echo "make types     pyright, strict"
	@echo "make generate  write all generated files;  make fresh  fails if one is stale"
	@echo "make bench     every comparison, side by side, into docs/benchmarks.md (an hour or so)"
	@echo "make scale     what more than one machine needs: object store, DuckLake, Dask (docs/scale.md)"
	@echo "make audit     the locked dependencies against the database of known vulnerabilities"
	@echo "make lock      resolve the dependencies again"

$(UV):
	@echo "Building $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.run: requirements.lock pyproject.toml | $(UV)
	@echo "Installing what requirements.lock names ..."
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@# The tables of an empty warehouse, into the cache that new homes copy them from.
	@$(BIN)/python -c "from innspect.warehouse.database import cache_layout; cache_layout()" || true
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Installing what requirements-dev.lock names ..."
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.dashboard: requirements-dashboard.lock $(VENV)/.run
	@echo "Installing what requirements-dashboard.lock names ..."
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements-dashboard.lock
	@touch $@

$(VENV)/.scale: requirements-scale.lock $(VENV)/.run
	@echo "Installing what requirements-scale.lock names ..."
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements-scale.lock
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	@echo "Installing what requirements-bench.lock names ..."
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements-bench.lock
	@touch $@

demo: $(VENV)/.run
	@$(BIN)/innspect run configs/portfolios/sample.csv --sandbox --budget $(BUDGET)

dashboard: $(VENV)/.dashboard
	@$(BIN)/innspect dashboard --sandbox

test: $(VENV)/.dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not long and not vast"

test-long: $(VENV)/.dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "long and not vast" --part $(PART)

test-vast: $(VENV)/.dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m vast

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.bench
	$(BIN)/pyright

generate: $(VENV)/.dev
	$(BIN)/python -m tests.project_rules.generate

fresh: $(VENV)/.dev
	$(BIN)/python -m tests.project_rules.generate --check

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.bench --write

bench-smoke: $(VENV)/.bench
	$(BIN)/python -m benchmarks.bench --smoke --folder $(VENV)/bench-smoke --only engines,run_time,recheck,end_of_run,publishing,growth,marts
	$(BIN)/python -m benchmarks.sandbox_rate --inns 60 --checks 200
	$(BIN)/python -m benchmarks.vast 60
	$(BIN)/python -m benchmarks.client_rate --smoke
	$(BIN)/python -m tests.support.fuzz 500

scale: $(VENV)/.scale

audit: $(VENV)/.dev
	@$(BIN)/python -m tests.project_rules.audit requirements-dev.lock

lock: | $(UV)
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra dashboard -c requirements.lock -o requirements-dashboard.lock
	$(COMPILE) --extra scale -c requirements.lock -o requirements-scale.lock
	$(COMPILE) --extra dashboard --extra scale --extra dev -c requirements-scale.lock -o requirements-dev.lock
	$(COMPILE) --extra bench -c requirements-dev.lock -o requirements-bench.lock

clean:
	rm -rf $(VENV) data .pytest_cache .ruff_cache
