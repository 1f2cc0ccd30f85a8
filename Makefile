# Shortcuts for people; CMake does the building. `make` alone lists the targets.
LESSON =
first = $(if $(LESSON),learn $(LESSON),start)
PREFIX = /usr/local
SECONDS = 600
# Kernels for GPUs. AUTO: for the GPU of this machine, if any. CUDA=ON: also without one, for ARCHITECTURES or three kinds.
CUDA = AUTO
ARCHITECTURES =
QUICK = OFF
nvcc = $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
# The python that the module is built for; `make python PYTHON=$(which python3)` chooses a different one.
PYTHON ?= /usr/bin/python3

# Debian's package names. Each target installs only what it needs, so that the first lesson starts soon.
build_packages = g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev doctest-dev
python_packages = $(build_packages) python3-dev pybind11-dev
# The sources are formatted by Debian 12's clang-format; other releases format differently.
debian_12 = $(shell grep -qs '^VERSION_ID="12"' /etc/os-release && echo yes)
# Includes packages without which some tests are skipped.
test_packages = $(python_packages) $(if $(debian_12),clang-format-14) strace locales zsh less groff-base python3-numpy
fuzz_packages = $(build_packages) clang
wasm_packages = cmake ninja-build libfmt-dev nlohmann-json3-dev emscripten
site_packages = $(build_packages) $(wasm_packages) python3 cmark-gfm
# Any npm will do, not only Debian's.
web_packages = $(site_packages) chromium-headless-shell firefox-esr $(if $(shell command -v npm),,nodejs npm)
arm_packages = $(build_packages) g++-aarch64-linux-gnu qemu-user-static python3
all_packages = $(test_packages) $(web_packages) $(arm_packages) clang $(if $(debian_12),clang-tidy-14) pkg-config python3-venv
cuda = -DGLASSGRAD_CUDA=$(CUDA) "-DGLASSGRAD_CUDA_ARCHITECTURES=$(ARCHITECTURES)" -DGLASSGRAD_CUDA_QUICK=$(QUICK)
python_module = -DGLASSGRAD_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON)

# The engine for the pages that the program writes, included from the first `make wasm` on.
wasm = $(if $(wildcard build/wasm/CMakeCache.txt),-DGLASSGRAD_WASM=$(CURDIR)/build/wasm/glassgrad.wasm.gz)

# One more than the number of cores, because tests of the stepper wait for their terminal.
export CTEST_PARALLEL_LEVEL := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
start := $(shell date +%s)
stage = @.ci/stage
sources = $$(find engine nn apps tests -name '*.h' -o -name '*.cpp' -o -name '*.cu')
minutes_first = $$([ -x build/glassgrad ] || echo ' (about two minutes on two cores)')
# The first lesson needs no kernels for GPUs and for other processors; make build adds them.
all_processors = "-DGLASSGRAD_INSTRUCTION_SETS=baseline;v3;v4;bf16"
this_one = $$(case "$$(uname -m) $$(cat /proc/cpuinfo)" in (*avx512vl*) echo v4;; (*avx2* | aarch64*) echo v3;; (*) echo baseline;; esac)
this_first = $$([ -x build/glassgrad ] || echo -DGLASSGRAD_CUDA=OFF -DGLASSGRAD_INSTRUCTION_SETS=$(this_one))
# Sanitizers check this processor's kernels; with only the kernels for old processors, tests ran out of time.
this_processor = "-DGLASSGRAD_INSTRUCTION_SETS=baseline;$(this_one);bf16"
build_all = .ci/build release all $(cuda) $(all_processors) $(python_module)
# Prints the counts of test cases and checks from CTest's own log.
passed = awk '/^.doctest. test cases:/ {cases += $$4} /^.doctest. assertions:/ {checks += $$3} \
  END {printf "passed: %d test cases, %d checks", cases, checks}' $(1)/Testing/Temporary/LastTest.log
# Prints the lines in which single tests report their counts.
counts = sed -En 's/^(.*MESSAGE: *|[.s]*)((arm|op table|autograd|why|memory|command line|faults|install|fuzz|web|cuda|device): .*|[a-z_]+: [0-9]+ of [0-9]+ cases equal .*)/  \2/p' $(1)
elapsed = $$(($$(date +%s) - $(start))) s

.PHONY: help learn build wasm python docs site check test test-all test-rest test-long test-web test-python test-arm test-gpu test-fresh fuzz coverage \
  bench bench-gpu format install wheel dist clean

help: ## what you are reading
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

learn: ## build what is needed and begin: ten minutes at a small GPT; LESSON=cat steps through a lesson instead
	@{ printf '[1/3] ' && .ci/setup $(build_packages) && \
	  .ci/stage "[2/3] building glassgrad$(minutes_first)" .ci/build release glassgrad $(this_first) && \
	  echo "[3/3] glassgrad $(first)"; } >&2
	@build/glassgrad $(first) || [ $$? -ge 130 ] # leaving early, by ^C or `| head`, is no failure

build: ## the release program, at build/glassgrad; after make wasm, its pages can compute
	@.ci/setup $(build_packages)
	@[ -z "$(wasm)" ] || .ci/build wasm glassgrad_wasm
	@.ci/build release glassgrad $(wasm) $(cuda) $(all_processors)
	@ln -sf build/compile_commands.json compile_commands.json

wasm: ## the engine for a page, at build/wasm/glassgrad.wasm; installs emscripten, from then on make build takes it in
	@.ci/setup $(wasm_packages)
	@.ci/build wasm glassgrad_wasm

python: ## the Python module, at build/python: PYTHONPATH=build/python python3 -m glassgrad NOTEBOOK.ipynb
	@.ci/setup $(python_packages)
	@.ci/build release glassgrad_python $(python_module)

# Each stage prints its seconds and its budget on two quiet cores; exceeding a budget fails nothing.
test: ## formatting, include rules, and all but the long tests, the Python module's too (under 8 minutes; after make learn: under 6)
	@printf '[1/5] ' && .ci/setup $(test_packages)
	@$(if $(debian_12),.ci/stage "[2/5] formatting (make format mends it) (of 10 s)" clang-format-14 --dry-run -Werror $(sources),echo "[2/5] formatting: not here, for it is told by Debian 12's clang-format")
	$(stage) "[3/5] include rules, file lengths, test names (of 5 s)" python3 tests/check_sources.py
	$(stage) "[4/5] building all, warnings are errors (of 280 s)" $(build_all)
	$(stage) "[5/5] tests (of 125 s)" ctest --preset release
	@$(call counts,build/Testing/Temporary/LastTest.log)
	@echo "make test $$($(call passed,build)), in $(elapsed)"

# Files that differ from the last commit.
FILES = $(shell git diff HEAD --name-only --diff-filter=d; git ls-files --others --exclude-standard)
to_format = $(filter %.h %.cpp %.cu,$(FILES))

check: ## format, build and test what you changed since the last commit; or FILES="engine/print.cpp docs/ops.md"
	@$(if $(strip $(FILES)),,echo 'Nothing has changed since the last commit. To name files: make check FILES="engine/print.cpp"'; exit 1)
	@printf '[1/5] ' && .ci/setup $(test_packages)
	@$(if $(and $(debian_12),$(to_format)),.ci/stage "[2/5] formatting" clang-format-14 -i $(to_format),echo "[2/5] formatting: nothing to format")
	$(stage) "[3/5] include rules, file lengths, test names" python3 tests/check_sources.py
	$(stage) "[4/5] building all, warnings are errors" $(build_all)
	@tests="$$(tests/touched.py $(FILES))"; if [ "$$tests" ]; then .ci/stage "[5/5] tests: $$tests" ctest --test-dir build --output-on-failure -R "$$tests"; \
	  else echo "[5/5] no test is tied to these files alone; make test runs all"; fi

test-all: test test-rest ## all that must hold, as .ci/run has it: make test, then make test-rest (about 35 minutes)

test-rest: ## what make test leaves out: long tests, clang-tidy, the second compiler and sanitizers, an emulated GPU, fuzzers, pages, an installed copy, a wheel, the engine on 64-bit ARM
	@printf '[1/16] ' && .ci/setup $(all_packages)
	$(stage) "[2/16] long tests (of 205 s)" ctest --preset long
	@$(if $(debian_12),.ci/stage "[3/16] clang-tidy (of 105 s)" tests/tidy,echo "[3/16] clang-tidy: not here, for its checks are those of Debian 12's")
	$(stage) "[4/16] building all with clang++, ASan, UBSan, for an emulated GPU, and each header alone (of 320 s)" \
	  .ci/build checked "all all_verify_interface_header_sets" $(this_processor)
	$(stage) "[5/16] tests with ASan and UBSan (of 240 s)" ctest --preset checked
	@$(call counts,build/checked/Testing/Temporary/LastTest.log) | grep '  \(cuda\|device\): '
	$(stage) "[6/16] every fuzzer for 5 seconds (of 60 s)" env SEED=1 tests/fuzz/run 5
	@$(call counts,build/log/every-fuzzer-for-5-seconds.log)
	$(stage) "[7/16] building what starts threads with TSan (of 65 s)" .ci/build tsan glassgrad_tests
	$(stage) "[8/16] its tests with TSan (of 35 s)" ctest --preset tsan
	$(stage) "[9/16] building the engine as WebAssembly (of 130 s)" .ci/build wasm glassgrad_wasm
	$(stage) "[10/16] the site of all lessons and chapters (of 20 s)" $(MAKE) --no-print-directory site
	$(stage) "[11/16] pages in a browser, one lesson in three (of 240 s)" env REQUIRE_WASM=1 SITE=$(CURDIR)/build/site tests/web/run
	@$(call counts,build/log/pages-in-a-browser-one-lesson-in-three.log)
	$(stage) "[12/16] an installed copy, and one inside another project (of 50 s)" tests/install/run
	@$(call counts,build/log/an-installed-copy*.log)
	$(stage) "[13/16] a wheel and a tarball, installed (of 20 s)" sh -ec '$(MAKE) wheel PYTHONS=$(PYTHON); $(MAKE) dist; tests/install/package'
	@$(call counts,build/log/a-wheel-and-a-tarball-installed.log)
	$(stage) "[14/16] building engine, layers and their tests for 64-bit ARM (of 145 s)" .ci/build aarch64 glassgrad_tests
	$(stage) "[15/16] their tests on 64-bit ARM under qemu (of 105 s)" tests/arm/run engine
	@$(call counts,build/log/their-tests-on-64-bit-ARM-under-qemu.log)
	@$(if $(nvcc),.ci/stage "[16/16] kernels for a GPU by nvcc (of 80 s)" .ci/build cuda glassgrad_cuda \
	  -DGLASSGRAD_CUDA_ARCHITECTURES=90a-real -DGLASSGRAD_CUDA_QUICK=ON,echo "[16/16] kernels for a GPU: no nvcc here")
	@echo "make test-rest passed in $(elapsed)"

test-long: ## at night: fuzzers for SECONDS (600) each, a fault at every system call, all cases of generators, terminal tests, pages and corpus, each file on its own, kernels for three kinds of GPU, pip, Debian 11 to 13, a fresh Debian, 64-bit ARM, long tests with sanitizers
	@printf '[1/16] ' && .ci/setup $(all_packages) debootstrap
	$(stage) "[2/16] building all" $(build_all)
	$(stage) "[3/16] a fault at every system call of a save, all cases of the generators and of the corpus" ctest --preset night
	@$(call counts,build/Testing/Temporary/LastTest.log)
	$(stage) "[4/16] the Python module installed by pip" env PYTHON=$(PYTHON) GLASSGRAD_BUILD=build tests/install/pip
	$(stage) "[5/16] building each file on its own, without optimisation" .ci/build debug all
	$(stage) "[6/16] building all with clang++, ASan and UBSan" .ci/build checked all $(this_processor)
	$(stage) "[7/16] long tests with ASan and UBSan" ctest --preset checked-long
	@echo "[8/16] all pages in a browser:"
	@$(MAKE) --no-print-directory test-web
	$(stage) "[9/16] every fuzzer" tests/fuzz/run $(SECONDS)
	@$(call counts,build/log/every-fuzzer.log)
	$(stage) "[10/16] the wheel and the tarball" sh -ec '$(MAKE) wheel; $(MAKE) dist'
	$(stage) "[11/16] both on Debian 12" tests/install/package bookworm
	@$(call counts,build/log/both-on-Debian-12.log)
	$(stage) "[12/16] both on Debian 13" tests/install/package trixie
	@$(call counts,build/log/both-on-Debian-13.log)
	$(stage) "[13/16] the tarball on Debian 11" tests/install/package bullseye
	@$(call counts,build/log/the-tarball-on-Debian-11.log)
	@echo "[14/16] a fresh Debian:"
	@$(MAKE) --no-print-directory test-fresh
	@echo "[15/16] 64-bit ARM:"
	@$(MAKE) --no-print-directory test-arm
	@$(if $(nvcc),.ci/stage "[16/16] kernels for three kinds of GPU" .ci/build cuda glassgrad_cuda \
	  "-DGLASSGRAD_CUDA_ARCHITECTURES=80-real;90a-real;90-virtual" -DGLASSGRAD_CUDA_QUICK=OFF,echo "[16/16] kernels for GPUs: no nvcc here")
	@echo "make test-long passed in $(elapsed)"

test-fresh: ## as root: what a newcomer does, on Debian 12 and 13 with git and make alone: README's commands in order, then site and tests
	@printf '[1/3] ' && .ci/setup debootstrap
	@echo "[2/3] Debian 12:" && tests/install/fresh bookworm
	@echo "[3/3] Debian 13:" && tests/install/fresh trixie

test-web: ## test the pages only: every lesson's, those of train and inspect, and the site, in a whole Chromium, some in Firefox, without a network
	@printf '[1/4] ' && .ci/setup $(web_packages) chromium
	$(stage) "[2/4] building the engine as WebAssembly" .ci/build wasm glassgrad_wasm
	$(stage) "[3/4] the site of all lessons and chapters" $(MAKE) --no-print-directory site
	$(stage) "[4/4] pages in a browser" env EVERYTHING=1 CHROMIUM=/usr/bin/chromium REQUIRE_WASM=1 SITE=$(CURDIR)/build/site tests/web/run
	@$(call counts,build/log/pages-in-a-browser.log)

test-python: ## build and test the Python module only
	@printf '[1/3] ' && .ci/setup $(python_packages)
	$(stage) "[2/3] building the Python module" .ci/build release glassgrad_python $(python_module)
	$(stage) "[3/3] tests of the Python module" ctest --preset python

test-arm: ## the program for 64-bit ARM under qemu: its tests, and every lesson and 20 training steps equal to this machine's, byte for byte
	@printf '[1/4] ' && .ci/setup $(arm_packages)
	$(stage) "[2/4] building for this machine" .ci/build release glassgrad
	$(stage) "[3/4] building for 64-bit ARM" .ci/build aarch64 "glassgrad glassgrad_tests"
	$(stage) "[4/4] 64-bit ARM under qemu" tests/arm/run
	@$(call counts,build/log/64-bit-ARM-under-qemu.log)

test-gpu: ## on a machine with a GPU: build for it, then the op table, five lessons and 20 training steps there
	@tests/cuda/find_gpu
	@.ci/setup $(build_packages) python3
	$(stage) "[1/5] building for the GPU" .ci/build release "glassgrad glassgrad_tests glassgrad_apps_tests" \
	  -DGLASSGRAD_CUDA=ON
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
	$(stage) "[2/2] building the fuzzers" .ci/build checked glassgrad_fuzz $(this_processor)
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
	@.ci/build release glassgrad -DGLASSGRAD_CUDA=ON
	@tests/cuda/bench

docs: build ## write the chapters in docs/ anew, each from its lesson
	@for lesson in $$(build/glassgrad docs | awk '/ minutes$$/ {print $$1}'); do \
	  build/glassgrad learn $$lesson --format markdown >build/chapter.md && \
	  mv build/chapter.md docs/$$lesson.md || exit 1; done

site: wasm ## the page of every lesson and course, the chapters and an index, for any web space, at build/site
	@.ci/setup $(site_packages)
	@$(MAKE) --no-print-directory build
	@docs/site/build.py build/glassgrad build/site

format: ## rewrite the sources in the project's format
	@clang-format-14 -i $(sources)

# Prints every Python on this machine that has its headers.
pythons = for minor in 9 10 11 12 13; do python3.$$minor -c 'import os, sys, sysconfig; \
  os.path.exists(sysconfig.get_paths()["include"] + "/Python.h") and print(sys.executable)' 2>/dev/null; done
PYTHONS ?= $(PYTHON) $(shell $(pythons))
space := $() $()
to_give = -DGLASSGRAD_WASM=$(CURDIR)/build/wasm/glassgrad.wasm.gz $(all_processors) -DGLASSGRAD_CUDA=OFF

wheel: ## one file for pip, with the module for every Python here, the program and its pages, at build/glassgrad-*.whl
	@.ci/setup $(python_packages) $(wasm_packages)
	@.ci/build wasm glassgrad_wasm
	@.ci/build release glassgrad_wheel $(to_give) $(python_module) "-DGLASSGRAD_WHEEL_PYTHONS=$(subst $(space),;,$(strip $(PYTHONS)))"

dist: ## the program for any Linux with this kind of processor, with man page and completions, at build/glassgrad-*.tar.gz
	@.ci/setup $(build_packages) $(wasm_packages)
	@.ci/build wasm glassgrad_wasm
	@.ci/build release glassgrad_static $(to_give)
	@.ci/dist build/static/glassgrad

install: build ## program, libraries and headers to PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install build --prefix $(PREFIX)

clean: ## remove everything built
	@rm -rf build
