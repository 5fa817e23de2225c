# `make` lists the targets.
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
RUN := $(UV) run
SLOW := python3 -m scripts.slow
DIST ?= build/dist
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help environment packages up test test-exhaustive test-validator test-providers test-docker test-kafka test-browser nightly flaky check generate generate-check program dashboard lowest lock dist bench day demo validator fuzz fuzz-guided runtimes faults rehearsal mutate prove

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

environment: | $(UV)
	@$(SLOW) "Installing Python packages" $(UV) sync --quiet

packages: | $(UV)
	@$(SLOW) "Installing Python packages" $(UV) sync --quiet --inexact --no-dev

up: packages ## Start the whole stack, seeded, on an embedded cluster (ARGS="--reset --data DIR --port N")
	$(RUN) --no-dev gpu-market up $(ARGS)

demo: packages ## Rent, stop and expire on a stack of its own; compare chain, SQL and API
	$(RUN) --no-dev gpu-market demo $(ARGS)

test: | $(UV) ## Run the tests
	$(RUN) pytest $(ARGS)

test-exhaustive: | $(UV) ## Run the long sweeps that `make test` only samples, and what needs a PostgreSQL server
	$(RUN) pytest -m "(exhaustive or postgres) and not browser and not kafka and not nightly" $(ARGS)

test-validator: | $(UV) ## Run the client, indexer, keeper and e2e tests against Agave's solana-test-validator
	$(RUN) pytest -m "validator and not browser" -n 0 $(ARGS)

test-providers: | $(UV) ## Run the end-to-end tests against clusters that answer as providers' nodes do, in all ways at once
	E2E_NODE=providers $(RUN) pytest tests/e2e --ignore tests/e2e/pages $(ARGS)

test-docker: | $(UV) ## Run the host agent's tests on a Docker engine of their own (needs root and dockerd)
	$(RUN) pytest -m "docker and not nightly" -n 0 $(ARGS)

test-kafka: | $(UV) ## Run the tests of a topic on Kafka brokers (Debian; fetches them, and Java)
	$(RUN) pytest -m kafka -n 0 $(ARGS)

test-browser: | $(UV) ## Check the dashboard's types and run its tests in Chromium (needs Chromium and registries; brings Node.js)
	python3 scripts/dashboard.py check
	$(RUN) pytest -m browser -n 0 $(ARGS)

flaky: | $(UV) ## Repeat tests under load; print how many of how many failed (ARGS="PATH -n 20")
	$(RUN) python -m scripts.flaky $(ARGS)

check: | $(UV) ## Check format, lint, types, generated files, and the program's and the dashboard's manifests
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy
	$(RUN) python -m scripts.counts --check
	$(RUN) python -m anchor_idl.codegen generate --from-idl --check
	$(RUN) python -m scripts.typescript --check
	$(RUN) python scripts/yellowstone.py --check
	$(RUN) python -m scripts.settings --check
	python3 scripts/sbf/program.py sources
	python3 scripts/dashboard.py sources
	@if command -v cargo >/dev/null; then \
	  cargo fmt --all --check && cargo fmt --manifest-path tests/program/guided/fuzzer/Cargo.toml --check && \
	  cargo fmt --manifest-path tests/program/guided/ahead/Cargo.toml --check && \
	  cargo fmt --manifest-path tests/program/caller/Cargo.toml --check && \
	  cargo clippy --workspace --all-targets -- -D warnings -D clippy::arithmetic_side_effects; \
	else echo "cargo not found: Rust checks skipped"; fi

generate: | $(UV) ## Write all that is generated: IDL, clients, description of the API, tables of settings, gRPC messages, dashboard (needs Cargo)
	$(RUN) python -m anchor_idl.codegen generate
	python3 scripts/sbf/program.py idl
	$(RUN) python scripts/yellowstone.py
	$(RUN) python -m scripts.typescript
	$(RUN) python -m scripts.settings
	python3 scripts/dashboard.py build

generate-check: | $(UV) ## Generate IDL, client and gRPC messages again, and fail if they differ (needs Cargo)
	$(RUN) python -m anchor_idl.codegen generate --check
	$(RUN) python scripts/yellowstone.py --verify

program: ## Build the program and its manifest (Debian; installs its toolchain)
	python3 scripts/sbf/program.py build

dashboard: | $(UV) ## Build the dashboard and its manifest (brings Node.js where there is none that is new enough)
	python3 scripts/dashboard.py build

lowest: | $(UV) ## Install the lowest versions declared, import every module and run quick tests with them
	$(RUN) --no-project python -m scripts.lowest

lock: | $(UV) ## Pin every transitive Python dependency in pyproject.toml, for a checkout and for what installs without one
	$(RUN) --no-project python scripts/lock.py

dist: | $(UV) ## Build wheel and sdist in build/dist, and check them as PyPI does (needs package registries)
	rm -rf $(DIST)
	$(UV) build --quiet --out-dir $(DIST)
	$(UV) tool run --quiet twine@7.0.0 check --strict $(DIST)/*

bench: | $(UV) ## Run the benchmarks; print a table and write benchmarks/results.json
	$(RUN) python -m benchmarks $(ARGS)

day: | $(UV) ## Run a day of market in ten minutes; print what it takes (ARGS="--hours N --json FILE"; needs PostgreSQL)
	$(RUN) python -m benchmarks.day $(ARGS)

nightly: | $(UV) ## Run for a night what repeats other tests or takes long: more seeds, every step, providers' nodes, faults, the rehearsal, long fuzzing
	$(RUN) pytest -m nightly $(ARGS)
	$(MAKE) test-providers
	$(MAKE) faults
	$(MAKE) rehearsal
	$(MAKE) fuzz
	$(MAKE) fuzz-guided ARGS="--seconds 1800"

fuzz: | $(UV) ## Fuzz the program with 200,000 random actions (about half an hour)
	HYPOTHESIS_PROFILE=nightly $(RUN) pytest -m exhaustive -n 0 -s tests/program/machine $(ARGS)

fuzz-guided: | $(UV) ## Fuzz the program guided by what of it runs (ARGS="--seconds N --json FILE"; needs Cargo, installs the toolchain)
	$(RUN) python -m tests.program.guided $(ARGS)

runtimes: | $(UV) ## Replay what tests and fuzzer did on the runtime that comes, and compare all accounts (after `make fuzz-guided`; needs Cargo and rustup)
	$(RUN) python -m tests.program.guided.runtimes $(ARGS)

mutate: | $(UV) ## Remove what upholds each invariant; its tests must fail (ARGS="ID... --json FILE"; installs the toolchain)
	$(RUN) python -m scripts.mutation $(ARGS)

faults: | $(UV) ## Measure how soon each fault is told and recovered from; print the rows of docs/assurance.md (ARGS="-k NAME")
	$(RUN) pytest -m "" -n 0 -s tests/indexer/proof/test_fault_times.py tests/indexer/proof/test_fault_machine.py \
	  tests/keeper/test_fault_races.py $(ARGS)

rehearsal: | $(UV) ## Type docs/deploy.md on Agave's validator, up to an upgrade by vote, and docs/host.md on an empty Debian machine with systemd (minutes)
	$(RUN) pytest -m rehearsal -n 0 -s $(ARGS)

prove: | $(UV) ## Prove the money rules for all inputs, and that changed rules are found out (ARGS="NAME...")
	$(RUN) --group proofs python -m tests.program.proofs $(ARGS)

validator: ## Build Agave's solana-test-validator into the user's cache
	bash scripts/validator.sh

.uv/bin/uv:
	@$(SLOW) "Fetching uv" sh -c ' \
	  python3 -m venv .uv 2>/dev/null && .uv/bin/python -m pip install --quiet uv || \
	  { rm -rf .uv && python3 -m pip install --quiet --target .uv uv; } || \
	  { rm -rf .uv; echo "cannot fetch uv: python3 needs pip (or install uv yourself)" >&2; exit 1; }'
