# Every target installs what it needs into .venv. Paths are relative: a blank in the path is fine.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
export PIP_CONSTRAINT := constraints.txt

.PHONY: demo test test-ray test-slow lint format docs site wheel bench coverage clean

demo: .venv/.rejoinder
	$(BIN)/python -m rejoinder score examples/testset.jsonl examples/responses/*.jsonl

test: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

test-ray: .venv/.ray
	$(BIN)/python -m pytest -n 0 tests/unit/files/test_shards.py -k "ray"

test-slow: .venv/.dev
	$(BIN)/python -m pytest -m slow

lint: .venv/.dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m pyright
	$(BIN)/python tests/words.py

format: .venv/.dev
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

docs: .venv/.dev
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/commands.py
	cd tests && ../$(BIN)/python bad_input_cases.py

site: .venv/.site
	$(BIN)/python docs/site.py

wheel: .venv/.dev
	.ci/wheel

bench: .venv/.dev
	$(BIN)/python benchmarks/run.py --write

coverage: .venv/.dev
	$(BIN)/python simulations/run.py --write

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.rejoinder: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -e .
	touch $@

.venv/.site: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -e '.[docs]'
	touch .venv/.rejoinder $@

.venv/.dev: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -e '.[dev,annotate,bench,docs,meteor,models,sweep]'
	touch .venv/.rejoinder .venv/.site $@

.venv/.ray: .venv/.dev
	$(PIP) install ray
	touch $@
