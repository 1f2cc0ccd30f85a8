# For people; CMake does the building. `make` alone prints what there is.
LESSON = journey
PREFIX = /usr/local
SECONDS = 600
# In the tests; build/ keeps it from then on.
WERROR = ON
# The GPUs that the program is built for, where there is nvcc; the tests compile for one, quickly: this machine's, if it has
# one. build/ keeps the last.
ARCHITECTURES = 80-real;90a-real;90-virtual
QUICK = OFF
TEST_ARCHITECTURE = $(shell tests/cuda/find_gpu --architecture 2>/dev/null || echo 90a-real)
as_tested = ARCHITECTURES=$(TEST_ARCHITECTURE) QUICK=ON
# What the Python module is built for; also `make python PYTHON=$(which python3)`.
PYTHON ?= /usr/bin/python3

# Debian's names. Each target asks only for what it uses, so that the first lesson comes soon.
build_packages = g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev doctest-dev
test_packages = $(build_packages) python3 clang-format-14
python_packages = $(build_packages) python3-dev pybind11-dev
fuzz_packages = $(build_packages) clang
wasm_packages = cmake ninja-build libfmt-dev nlohmann-json3-dev emscripten
site_packages = $(build_packages) $(wasm_packages) python3 cmark-gfm
# Another npm than Debian's does as well.
web_packages = $(site_packages) chromium $(if $(shell command -v npm),,nodejs npm)
all_packages = $(test_packages) $(web_packages) clang strace locales pkg-config python3-dev python3-venv pybind11-dev
cuda = -DGLASSGRAD_CUDA=$(2) "-DGLASSGRAD_CUDA_ARCHITECTURES=$(1)" -DGLASSGRAD_CUDA_QUICK=$(or $(3),$(QUICK))
python_module = -DGLASSGRAD_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON)

# The engine for the pages that the program writes, where there is a compiler for it.
wasm = $(if $(wildcard /usr/share/emscripten/em++.py),-DGLASSGRAD_WASM=$(CURDIR)/build/wasm/glassgrad.wasm.gz)

# One more than there are cores: tests of the stepper wait for their terminal.
export CTEST_PARALLEL_LEVEL := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
start := $(shell date +%s)
stage = @.ci/stage
sources = $$(find engine nn apps tests -name '*.h' -o -name '*.cpp' -o -name '*.cu')
minutes_first = $$([ -x build/glassgrad ] || echo ' (3 to 4 minutes)')
# Kernels for GPUs take minutes of their own: the first lesson does without.
cpu_first = $$([ -x build/glassgrad ] || echo -DGLASSGRAD_CUDA=OFF)
# What both runs of the tests counted, from CTest's own logs.
passed = awk '/^.doctest. test cases:/ {cases += $$4} /^.doctest. assertions:/ {checks += $$3} \
  END {printf "passed: %d test cases, %d checks", cases, checks}' $(1)/Testing/Temporary/LastTest.log
# What single tests have counted.
counts = sed -En 's/^(.*MESSAGE: *|[.s]*)((op table|autograd|why|memory|command line|faults|install|fuzz|web|cuda|device): .*|[a-z_]+: [0-9]+ of [0-9]+ cases equal .*)/  \2/p' $(1)
elapsed = $$(($$(date +%s) - $(start))) s

.PHONY: help learn build wasm python docs site test test-all test-rest test-web test-python test-gpu fuzz coverage bench \
  bench-gpu format install clean

help: ## what you are reading
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

learn: ## build what is needed and step through the first lesson; LESSON=cat chooses another
	@{ printf '[1/3] ' && .ci/setup $(build_packages) && \
	  .ci/stage "[2/3] building glassgrad$(minutes_first)" .ci/build release glassgrad $(cpu_first) && \
	  echo "[3/3] glassgrad learn $(LESSON)"; } >&2
	@build/glassgrad learn $(LESSON) || [ $$? -ge 130 ] # leaving early, by ^C or `| head`, is no failure

build: ## the release program, at build/glassgrad; with emscripten installed, its pages can compute
	@.ci/setup $(build_packages)
	@[ -z "$(wasm)" ] || .ci/build wasm glassgrad_wasm
	@.ci/build release glassgrad $(wasm) $(call cuda,$(ARCHITECTURES),AUTO)

wasm: ## the engine for a page, at build/wasm/glassgrad.wasm; installs emscripten, from then on make build takes it in
	@.ci/setup $(wasm_packages)
	@.ci/build wasm glassgrad_wasm

python: ## the Python module, at build/python: PYTHONPATH=build/python python3 -m glassgrad NOTEBOOK.ipynb
	@.ci/setup $(python_packages)
	@.ci/build release glassgrad_python $(python_module)

test: ## build and test everything, engine and layers again under sanitizers; formatting and include rules (10 to 15 minutes)
	@printf '[1/7] ' && .ci/setup $(test_packages)
	$(stage) "[2/7] formatting (make format mends it)" clang-format-14 --dry-run -Werror $(sources)
	$(stage) "[3/7] include rules, file lengths, test names" python3 tests/check_sources.py
	$(stage) "[4/7] building all, warnings are errors" .ci/build release all -DGLASSGRAD_WERROR=$(WERROR) \
	  $(call cuda,$(TEST_ARCHITECTURE),AUTO,ON)
	$(stage) "[5/7] tests" ctest --preset release
	$(stage) "[6/7] building engine, layers and their tests with ASan and UBSan" .ci/build asan \
	  "glassgrad_tests glassgrad_memory" -DGLASSGRAD_WERROR=$(WERROR)
	$(stage) "[7/7] their tests with ASan and UBSan" ctest --preset asan
	@$(call counts,build/Testing/Temporary/LastTest.log)
	@echo "make test $$($(call passed,build)), those of the engine with ASan and UBSan too, in $(elapsed)"

test-all: test test-rest ## make test, then all that takes long

test-rest: ## what make test-all adds: the second compiler, sanitizers, faults, an emulated GPU, an installed copy, fuzzers, Python, pages
	@printf '[1/17] ' && .ci/setup $(all_packages)
	$(stage) "[2/17] building the rest with ASan and UBSan" .ci/build asan all
	$(stage) "[3/17] the rest of the tests with ASan and UBSan" ctest --preset asan-rest
	$(stage) "[4/17] building all with clang++, for an emulated GPU, and each header alone" .ci/build clang \
	  "all all_verify_interface_header_sets"
	$(stage) "[5/17] tests built by clang++" ctest --preset clang
	@$(call counts,build/clang/Testing/Temporary/LastTest.log) | grep '  \(cuda\|device\): '
	$(stage) "[6/17] building all with TSan" .ci/build tsan all
	$(stage) "[7/17] tests with TSan" ctest --preset tsan
	$(stage) "[8/17] a fault at every system call of a save" ctest --preset rest
	@$(call counts,build/Testing/Temporary/LastTest.log)
	$(stage) "[9/17] building the fuzzers" .ci/build fuzz glassgrad_fuzz
	$(stage) "[10/17] every fuzzer for 20 seconds" env SEED=1 tests/fuzz/run 20
	@$(call counts,build/log/every-fuzzer*.log)
	$(stage) "[11/17] building the engine as WebAssembly" .ci/build wasm glassgrad_wasm
	$(stage) "[12/17] the site of all lessons and chapters" $(MAKE) --no-print-directory site $(as_tested)
	$(stage) "[13/17] pages in a browser" env REQUIRE_WASM=1 SITE=$(CURDIR)/build/site tests/web/run
	@$(call counts,build/log/pages-in-a-browser.log)
	$(stage) "[14/17] an installed copy, and one inside another project" tests/install/run $(as_tested)
	@$(call counts,build/log/an-installed-copy*.log)
	$(stage) "[15/17] building the Python module" .ci/build release glassgrad_python $(python_module)
	$(stage) "[16/17] tests of the Python module" ctest --preset python
	$(stage) "[17/17] the Python module installed by pip" env PYTHON=$(PYTHON) GLASSGRAD_BUILD=build tests/install/pip
	@echo "make test-rest passed in $(elapsed)"

test-web: ## test the pages only: every lesson's, those of train and inspect, and the site, in Chromium without a network
	@printf '[1/4] ' && .ci/setup $(web_packages)
	$(stage) "[2/4] building the engine as WebAssembly" .ci/build wasm glassgrad_wasm
	$(stage) "[3/4] the site of all lessons and chapters" $(MAKE) --no-print-directory site
	$(stage) "[4/4] pages in a browser" env REQUIRE_WASM=1 SITE=$(CURDIR)/build/site tests/web/run
	@$(call counts,build/log/pages-in-a-browser.log)

test-python: ## build and test the Python module only
	@printf '[1/3] ' && .ci/setup $(python_packages)
	$(stage) "[2/3] building the Python module" .ci/build release glassgrad_python $(python_module)
	$(stage) "[3/3] tests of the Python module" ctest --preset python

test-gpu: ## on a machine with a GPU: build for it, then the op table, five lessons and 20 training steps there
	@tests/cuda/find_gpu
	@.ci/setup $(build_packages) python3
	$(stage) "[1/5] building for the GPU" .ci/build release "glassgrad glassgrad_tests glassgrad_apps_tests" \
	  $(call cuda,$$(tests/cuda/find_gpu --architecture),ON)
	$(stage) "[2/5] the op table on the GPU" build/tests/glassgrad_tests --source-file='*test_cuda*.cpp'
	@$(call counts,build/log/the-op-table-on-the-GPU.log)
	$(stage) "[3/5] five lessons on the GPU, beside their sources" tests/cuda/lessons
	@$(call counts,build/log/five-lessons-on-the-GPU-beside-their-sources.log)
	$(stage) "[4/5] 20 training steps on the CPU and on the GPU" tests/cuda/losses
	@$(call counts,build/log/20-training-steps-on-the-CPU-and-on-the-GPU.log)
	$(stage) "[5/5] compute-sanitizer over the small tests" tests/cuda/sanitize
	@$(call counts,build/log/compute-sanitizer-over-the-small-tests.log)
	@echo "make test-gpu passed in $(elapsed)"

fuzz: ## look for inputs that break something: every fuzzer for SECONDS (600)
	@printf '[1/2] ' && .ci/setup $(fuzz_packages)
	$(stage) "[2/2] building the fuzzers" .ci/build fuzz glassgrad_fuzz
	@tests/fuzz/run $(SECONDS)

coverage: ## which lines of engine/ and nn/ the tests run; fails below 95 %
	@printf '[1/3] ' && .ci/setup $(test_packages)
	$(stage) "[2/3] building with counters" .ci/build coverage "glassgrad_tests glassgrad_apps_tests glassgrad_memory"
	@find build/coverage -name '*.gcda' -delete
	$(stage) "[3/3] tests" ctest --preset coverage
	@python3 tests/coverage.py build/coverage

bench: ## how fast all is, beside the machine's limits and PyTorch where that is installed
	@.ci/setup $(build_packages) python3
	@.ci/build release glassgrad
	@tests/bench/run

bench-gpu: ## how fast all is on the GPU of this machine, beside PyTorch where that is installed
	@tests/cuda/find_gpu
	@.ci/setup $(build_packages) python3
	@.ci/build release glassgrad $(call cuda,$$(tests/cuda/find_gpu --architecture),ON)
	@tests/cuda/bench

docs: build ## write the chapters in docs/ anew, each from its lesson
	@for lesson in $$(build/glassgrad docs | awk '/ minutes$$/ {print $$1}'); do \
	  build/glassgrad learn $$lesson --format markdown >build/chapter.md && \
	  mv build/chapter.md docs/$$lesson.md || exit 1; done

site: wasm ## every lesson's page, the chapters and an index, for any web space, at build/site
	@.ci/setup $(site_packages)
	@$(MAKE) --no-print-directory build
	@docs/site/build.py build/glassgrad build/site

format: ## rewrite the sources in the project's format
	@clang-format-14 -i $(sources)

install: build ## program, libraries and headers to PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install build --prefix $(PREFIX)

clean: ## remove everything built
	@rm -rf build
