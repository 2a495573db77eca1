# Two commands set everything up: `make run` and `make test`. `make help` lists the rest.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo "$$python" && break; done)
PIP    := $(BIN)/python -m pip --disable-pip-version-check
TORCH  := $(shell sed -n 's/^\(torch==[^ ;]*\).*/\1/p' requirements.lock)

# PyPI's Linux and Windows builds of torch bring gigabytes of CUDA; this index carries the CPU build.
TORCH_CPU_INDEX := https://download.pytorch.org/whl/cpu

READY := $(VENV)/.ready

.PHONY: help run test test-dates test-random check format lock check-facts eval bench-memory bench-speed bench-configure bench-turn bench-ingest bench-retrieval bench-page reliability docs docs-site sbom clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{printf "  make %-15s %s\n", $$1, $$2}'

run: $(READY) ## serve chat, REST and MCP on http://127.0.0.1:7860 (HOST=… PORT=… to change)
	@$(if $(filter command line,$(origin HOST)),GPU_ADVISOR_HOST='$(HOST)') \
	$(if $(filter command line,$(origin PORT)),GPU_ADVISOR_PORT='$(PORT)') \
	$(BIN)/gpu-advisor chat

# The files of tests are shared out between processors, four at most: each process holds the catalog and the models anew.
test: $(READY) ## run the whole test suite (ARGS="tests/kb -k price" for a part)
	$(BIN)/python -m pytest $(or $(ARGS),-n auto --maxprocesses 4 --dist loadfile)

# What is answered when prices of the catalog have grown old; tests that rest on fresh ones keep to their day.
test-dates: $(READY) ## run the suite as on other days (DATES="2027-06-01 2029-01-01", ARGS as for test)
	for day in $(or $(DATES),2027-06-01 2029-01-01); do \
		GPU_ADVISOR_TODAY=$$day $(BIN)/python -m pytest $(or $(ARGS),-n auto --maxprocesses 4 --dist loadfile) || exit; done

test-random: $(READY) ## run the tests of properties on examples that nobody has seen yet (ARGS as for test)
	$(BIN)/python -m pytest --hypothesis-profile random -m hypothesis $(or $(ARGS),-n auto --maxprocesses 4 --dist loadfile)

check: $(READY) ## lint, format, types, import rules, generated docs, corpus, documentation site
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m ui.reference.docs --check
	$(BIN)/python tests/corpus/check.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

format: $(READY) ## let ruff fix and format what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY) ## write the generated pages of docs/ anew
	$(BIN)/python -m ui.reference.docs

docs-site: $(READY) ## build the documentation site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

sbom: $(READY) ## write a CycloneDX bill of materials to build/sbom.json
	mkdir -p build
	$(BIN)/python -m ui.reference.sbom build/sbom.json

check-facts: $(READY) ## print how well the catalog is sourced, what is odd and how old; fail when a fact breaks a rule
	$(BIN)/gpu-advisor facts check
	$(BIN)/gpu-advisor facts age
	$(BIN)/python tests/bench/check_facts.py

eval: $(READY) ## score the advisor on the questions of tests/cases
	$(BIN)/python tests/bench/evaluate.py $(ARGS)

eval-rewritten: $(READY) ## say every question other ways and count verdicts that change (ARGS="--sample 80 --wrong")
	$(BIN)/python tests/bench/perturb.py $(ARGS)

bench-memory: $(READY) ## compare memory estimates with published measurements
	$(BIN)/python tests/bench/memory.py $(ARGS)

bench-speed: $(READY) ## compare speed and time estimates with published measurements (ARGS="--by source")
	$(BIN)/python tests/bench/bench_speed.py $(ARGS)

bench-configure: $(READY) ## time the configurator and hold it to a brute force (ARGS=200 for as many random needs)
	$(BIN)/python tests/bench/bench_configure.py $(ARGS)

bench-turn: $(READY) ## what a new turn costs, piece by piece, in processor time (ARGS="80 --functions 40")
	$(BIN)/python tests/bench/bench_turn.py $(ARGS)

bench-ingest: $(READY) ## measure ingestion beside the tutorial way; ARGS="hostile", "kill" or "damage" for the rest
	$(BIN)/python tests/bench/bench_ingest.py $(ARGS)

bench-retrieval: $(READY) ## measure search beside the tutorial way (ARGS as in the script)
	$(BIN)/python tests/bench/bench_retrieval.py $(ARGS)

bench-page: $(READY) ## time the page in a real browser: first step, whole answer, layout shift
	$(BIN)/python tests/bench/bench_page.py $(ARGS)

reliability: $(READY) ## faults, hostile input, load, kills and soak in short (ARGS=--long for the figures of docs/)
	$(BIN)/python tests/bench/reliability/run.py $(ARGS)

lock: ## resolve pyproject.toml into requirements.lock for every platform (ARGS=--upgrade for newer versions)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --no-header --annotation-style=line \
		--output-file requirements.lock pyproject.toml $(ARGS)

clean: ## remove the virtual environment and every cache
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The lock is complete, so nothing is resolved: torch first, in its CPU build where one is at hand, then the rest as pinned.
$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "gpu-advisor needs Python 3.11, 3.12 or 3.13 (say make PYTHON=/path/to/python3)" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'from importlib.metadata import version; exit("torch==" + version("torch").split("+")[0] != "$(TORCH)")' 2>/dev/null \
	|| { $(cpu_torch) && $(PIP) install --retries 1 --index-url $(TORCH_CPU_INDEX) $(TORCH); } \
	|| $(PIP) install $(TORCH)
	$(PIP) install --no-deps --requirement requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q kb ingest assistant tools ui
	@touch $@

# True when PyTorch's own CPU index answers within seconds; other platforms' ordinary builds carry no CUDA.
cpu_torch = test "$$(uname -sm)" = "Linux x86_64" && timeout 5 $(BIN)/python -c \
	'import urllib.request; urllib.request.urlopen("$(TORCH_CPU_INDEX)/torch/", timeout=4).close()' 2>/dev/null
