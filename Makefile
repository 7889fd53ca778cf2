# Flywheel. `make demo` and `make test` need Python 3.11+ and nothing else.
PYTHON ?= python3
PORT ?= 9092
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo test test-faults check contract bench kafka format lock clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## Make .venv from requirements.lock (about 6 GB on Linux: torch brings CUDA)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Flywheel needs Python 3.11 or newer; this is " + sys.version.split()[0] + ": make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing from requirements.lock into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(grep '^uv==' requirements.lock)"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -r requirements.lock \
	  || $(BIN)/python -m pip install --disable-pip-version-check --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: $(STAMP) ## The whole loop on a bundled sample, embedded log (under 5 minutes)
	@$(BIN)/flywheel demo

test: $(STAMP) ## Every test; finds Kafka by itself where it can
	@mkdir -p .reports
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --junitxml=.reports/tests.xml

test-faults: $(STAMP) ## Faults on three real Kafka brokers, as a table (minutes); ARGS="--json FILE"
	@$(BIN)/python -m tests.faults $(ARGS)

check: $(STAMP) ## ruff, pyright (strict), import-linter, and that no event's contract is broken
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m flywheel.contract

contract: $(STAMP) ## Add what is new in the models to docs/asyncapi.json
	@$(BIN)/python -m flywheel.contract --record

format: $(STAMP) ## Let ruff mend what it can
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(STAMP) ## Every measurement, on small input
	@for file in benchmarks/[a-z]*.py; do $(BIN)/python -m benchmarks.$$(basename $$file .py) --quick || exit 1; done
	@$(BIN)/python -m benchmarks.clean_room --quick

kafka: $(STAMP) ## One Apache Kafka broker in the foreground, as the tests use it
	@$(BIN)/python -m ingest.kafka_broker --port $(PORT)

lock: $(STAMP) ## Resolve requirements.lock again from pyproject.toml
	@echo hatchling | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-header \
	  --no-annotate --extra dev --extra fast --extra bench pyproject.toml - -o requirements.lock

clean: ## Remove .venv and what tests left
	@rm -rf $(VENV) .reports .pytest_cache .ruff_cache .hypothesis
