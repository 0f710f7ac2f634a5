# Set up, run, check and measure Keepsake. Each target makes the environment first; `make setup` alone only does that.
# On Windows: `py packaging\bootstrap.py`, then the commands below with .venv\Scripts instead of .venv/bin.

PYTHON ?= python3
VENV ?= .venv
MESSAGES ?= 10000
DATA ?=
DATASET ?= locomo
ROUNDS ?= 3
OUT ?= build/pictures
ARGS ?=

BIN = $(VENV)/bin

.PHONY: help setup demo run test coverage lint format lock bench bench-window pictures fire packages packages-check docs site translations clean

help:
	@echo "make demo   show a sample vault"
	@echo "make run    open your own vault"
	@echo "make test   run every test             (ARGS='-k search' for some)"
	@echo "make lint   check style, types, imports and spelling"
	@echo "make bench  measure                    (MESSAGES=100000 DATASET=locomo DATA=folder)"
	@echo "make bench-window  a scripted day in the window while agents write  (MESSAGES=100000)"
	@echo "make pictures  draw every pane and sheet, empty, with the sample and large  (OUT=folder MESSAGES=100000)"
	@echo "make fire   write from four programs and kill them  (ROUNDS=200)"
	@echo "make packages  build the installers into dist/     make packages-check  install and test them in a clean system"
	@echo "make docs   write the reference pages of the help  make site   build the help as a website in build/site"
	@echo "make translations  bring the translations up to date with the texts of the window"
	@echo "make clean  remove everything made here"

setup:
	@$(PYTHON) packaging/bootstrap.py --venv $(VENV)

demo: setup
	$(BIN)/keepsake demo $(ARGS)

run: setup
	$(BIN)/keepsake $(ARGS)

test: setup
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal $(ARGS)

coverage: setup
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --cov --cov-report=term-missing:skip-covered $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:
	$(PYTHON) packaging/lock.py $(ARGS)

bench: setup
	$(BIN)/python -m tests.bench.scale --messages $(MESSAGES) $(ARGS)
	$(BIN)/python -m tests.bench.scale.caches --messages $(MESSAGES)
	$(if $(DATA),$(BIN)/python -m tests.bench.retrieval --dataset $(DATASET) --data $(DATA))

bench-window: setup
	$(BIN)/python -m tests.bench.window --messages $(MESSAGES) $(ARGS)

pictures: MESSAGES = 100000
pictures: setup
	$(BIN)/python -m tests.pictures $(OUT) --messages $(MESSAGES) $(ARGS)

fire: setup
	$(BIN)/python -m tests.integration.processes.crash_stress --rounds $(ROUNDS) $(ARGS)

# The program is packaged with CPython 3.12 or newer, because the newest Qt needs that.
PACKAGER ?= $(shell sh packaging/newest_python.sh)

packages:
	@$(PACKAGER) packaging/bootstrap.py --venv build/venv-packages --no-dev
	build/venv-packages/bin/python packaging/packages.py

packages-check:
	$(PYTHON) packaging/check_packages.py $(ARGS)

docs: setup
	$(BIN)/keepsake docs

translations: setup
	$(BIN)/python packaging/translations.py update

site: setup
	$(BIN)/python packaging/site.py $(ARGS)

clean:
	rm -rf .venv build dist htmlcov .coverage .hypothesis .mypy_cache .ruff_cache .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
