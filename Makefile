# The Relay toolchain.  `make help` lists the targets; settings that should
# last go into config.mk.

-include config.mk
MODE	?= release
PREFIX	?= /usr/local
SHARED	?= ../shared
LLVM	?= llvm-config-19
CLANG	?= clang-19
FLEX	?= flex
BISON	?= bison
PYTHON	?= python3
ifeq ($(origin CC),default)
CC	:= gcc
endif

# gcc takes places in the parser's stack apart bit by bit without OPT_GEN.
WARN	:= -Wall -Wextra -pedantic -Wshadow -Wstrict-prototypes \
	   -Wmissing-prototypes -Werror
WARN_GEN := -Wall -Werror -Wno-unused-function -Wno-unused-but-set-variable \
	   -Wno-sign-compare
OPT_GEN := $(if $(findstring clang,$(CC)),,-fno-tree-sra)
OPT_release  := -O2 -g
OPT_debug    := -O0 -g3
OPT_asan     := -O1 -g -fno-omit-frame-pointer \
		-fsanitize=address,undefined -fno-sanitize-recover=all
OPT_coverage := -O0 -g --coverage
# A null pointer plus zero is fine, whatever clang says.
OPT_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
		-fno-sanitize-recover=all -fno-sanitize=pointer-overflow
ifndef OPT_$(MODE)
$(error MODE=$(MODE): one of release, debug, asan, coverage)
endif

LIB_DIRS := support ir ir/relations lexer parser te te/compute te/schedule \
	    passes $(patsubst %/,%,$(wildcard passes/*/)) codegen \
	    codegen/llvm codegen/bangc import

# ---------------------------------------------------------------- derived --

B	:= $(if $(filter release,$(MODE)),build,build/$(MODE))
Q	:= $(if $(V),,@)
say	= $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

# Asked once, and only when something is compiled or linked.
llvm_cflags = $(eval llvm_cflags := $$(shell $(LLVM) --cppflags))$(llvm_cflags)
llvm_libs = $(eval llvm_libs := \
	$$(shell $(LLVM) --ldflags --libs --system-libs))$(llvm_libs)

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -I. -Iinclude -I$B/gen \
	-fvisibility=hidden -fPIC $(OPT_$(MODE)) $(CFLAGS)
ALL_LDFLAGS = $(OPT_$(MODE)) -Wl,--as-needed $(LDFLAGS)
LIBS	= -ljansson $(llvm_libs) -lm -lpthread

gen_c	:= $(patsubst %.l,$B/gen/%.lex.c,$(wildcard lexer/*.l)) \
	   $B/gen/parser/relay.tab.c
gen_h	:= $(gen_c:.c=.h)
device_c := $(patsubst %.mlu,$B/gen/%.c,$(wildcard codegen/bangc/device/*.mlu))
rules_c	:= $(patsubst %.rules,$B/gen/%.c,$(wildcard passes/rewrites/*.rules))
lib_c	:= $(wildcard $(LIB_DIRS:=/*.c))
rt_c	:= $(wildcard runtime/*.c)
tool_c	:= $(wildcard tools/*.c)
unit_c	:= $(wildcard test/unit/*.c)
fuzz_c	:= $(wildcard utils/fuzz-ops/*.c)
fuzzp_c	:= $(wildcard utils/fuzz-passes/*.c)
lib_o	:= $(lib_c:%.c=$B/obj/%.o) $(gen_c:$B/gen/%.c=$B/obj/gen/%.o) \
	   $(rules_c:$B/gen/%.c=$B/obj/gen/%.o) \
	   $(device_c:$B/gen/%.c=$B/obj/gen/%.o)
rt_o	:= $(rt_c:%.c=$B/obj/%.o)
fuzz_o	:= $(fuzz_c:%.c=$B/obj/%.o)
fuzzp_o	:= $(fuzzp_c:%.c=$B/obj/%.o)
fuzzers	:= $B/fuzz-ops $B/fuzz-passes
all_o	:= $(lib_o) $(rt_o) $(fuzz_o) $(fuzzp_o) \
	   $(patsubst %.c,$B/obj/%.o,$(tool_c) $(unit_c))
tools	:= $(tool_c:tools/%.c=$B/bin/%)
units	:= $(unit_c:test/unit/%.c=$B/unit/%)
rt_libs	:= $(if $(rt_c),$B/librelayrt.a $B/librelayrt.so)

.PHONY: all check bang-networks check-built demo bench conformance \
	install uninstall clean format stats fuzz fuzz-ops fuzz-passes \
	fuzz-bang models help deps FORCE
.DELETE_ON_ERROR:
.SECONDARY: $(gen_c) $(gen_h) $(rules_c) $(device_c)

all: $B/librelay.a $(rt_libs) $(tools) $(units) $(fuzzers) ## build everything

$B/librelay.a: $(lib_o)
$B/librelayrt.a: $(rt_o)
$B/librelay.a $B/librelayrt.a:
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$B/librelayrt.so: $(rt_o)
	$(call say,LD,$@)
	$Q$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,librelayrt.so.0 \
		-o $@ $^ -lm -lpthread

$(tools): $B/bin/%: $B/obj/tools/%.o
$(units): $B/unit/%: $B/obj/test/unit/%.o
$B/fuzz-ops: $(fuzz_o)
$B/fuzz-passes: $(fuzzp_o)
$(tools) $(units) $(fuzzers): $B/librelay.a $(filter %.a,$(rt_libs))
	$(call say,LD,$@)
	$Qmkdir -p $(@D)
	$Q$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) \
		$(filter %.a,$^) $(LIBS)

$B/obj/%.o: %.c $B/flags | $(gen_h)
	$(call say,CC,$<)
	$Qmkdir -p $(@D)
	$Q$(CC) $(ALL_CFLAGS) $(WARN) -MMD -MP -c -o $@ $<

# What every text goes through is worth some more effort of the compiler.
hot_c	:= $(wildcard lexer/*.c parser/*.c ir/print*.c ir/verify*.c) ir/walk.c \
	   ir/expr.c ir/node_table.c
OPT_HOT := $(if $(filter release,$(MODE)),-O3)
$(hot_c:%.c=$B/obj/%.o): private ALL_CFLAGS += $(OPT_HOT)
$(gen_c:$B/gen/%.c=$B/obj/gen/%.o): private ALL_CFLAGS += $(OPT_HOT)
$B/obj/codegen/llvm/%.o: private ALL_CFLAGS += $(patsubst -I%,-isystem %,$(filter -I%,$(llvm_cflags)))
$B/obj/gen/%.o: $B/gen/%.c $B/flags | $(gen_h)
	$(call say,CC,$<)
	$Qmkdir -p $(@D)
	$Q$(CC) $(ALL_CFLAGS) $(OPT_GEN) $(WARN_GEN) -MMD -MP -c -o $@ $<

$B/gen/%.lex.c $B/gen/%.lex.h &: %.l
	$(call say,FLEX,$<)
	$Qmkdir -p $B/gen/$(*D)
	$Q$(FLEX) -o $B/gen/$*.lex.c --header-file=$B/gen/$*.lex.h $<

# Bison reads one file: the rules of low.y go in front of the second %%.
$B/gen/parser/relay.y: parser/relay.y parser/low.y
	$(call say,GEN,$@)
	$Qmkdir -p $(@D)
	$Qawk 'FNR == 1 { printf "#line 1 \"%s\"\n", FILENAME } \
		/^%%$$/ && ++n == 2 { \
			print "#line 1 \"parser/low.y\""; \
			while ((getline line <"parser/low.y") > 0) print line; \
			printf "#line %d \"%s\"\n", FNR, FILENAME } \
		{ print }' $< >$@

$B/gen/parser/relay.tab.c $B/gen/parser/relay.tab.h &: $B/gen/parser/relay.y
	$(call say,BISON,$<)
	$Q$(BISON) -Wall -Werror -o $B/gen/parser/relay.tab.c \
		--header=$B/gen/parser/relay.tab.h $<

# Helpers of emitted BANG-C as strings.
$B/gen/codegen/bangc/device/%.c: codegen/bangc/device/%.mlu
	$(call say,TEXT,$<)
	$Qmkdir -p $(@D)
	$Q{ echo '#include "codegen/bangc/internal.h"'; \
	    echo 'const char bang_device_$*[] ='; \
	    sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } >$@

# Rewrite rules as a string.
$B/gen/passes/rewrites/%.c: passes/rewrites/%.rules
	$(call say,RULES,$<)
	$Qmkdir -p $(@D)
	$Q{ echo '#include "passes/rewrites/rewrites.h"'; \
	    echo 'const char rules_$(subst -,_,$*)[] ='; \
	    sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } >$@

# Everything is built anew when the compiler or its options change.
$B/flags: FORCE
	$Qmkdir -p $B
	$Qecho '$(CC) $(ALL_CFLAGS) $(WARN)' | cmp -s - $@ || \
		echo '$(CC) $(ALL_CFLAGS) $(WARN)' >$@

-include $(all_o:.o=.d)

# ---------------------------------------------------------------- targets --

deps: ## install what is missing from Debian's packages
	$Qutils/deps.sh

check: ## build and run every test
	$Qutils/deps.sh --tests
	$Q$(MAKE) --no-print-directory all
	$Qutils/check $B

demo: deps ## ResNet-18 from text to machine code, step by step
	$Q$(MAKE) --no-print-directory all
	$Qutils/demo $B

bench: all ## measure the speed of the tools
	$Qutils/bench $B

bang-networks: all ## run whole networks as BANG-C, small ones
	$Qutils/bang-networks $B --reduced

conformance: all ## compare with the recorded data in SHARED
	$Qutils/conformance $B $(SHARED)

fuzz: ## fuzz what FUZZ says (text or passes) for FUZZ_SECONDS (60)
	$Qutils/deps.sh --fuzz
	$Q$(MAKE) --no-print-directory MODE=fuzz CC="$(CLANG)" \
		build/fuzz/librelay.a build/fuzz/librelayrt.a
	$Qutils/fuzz/run build/fuzz $(or $(FUZZ_SECONDS),60) $(or $(FUZZ),text)

fuzz-ops: all ## compare the engines on FUZZ_CASES (10000) random programs
	$Qutils/fuzz-ops/run $B --count=$(or $(FUZZ_CASES),10000) \
		--seed=$(or $(FUZZ_SEED),1)

fuzz-passes: all ## run every pass over FUZZ_CASES (20000) random modules
	$Qutils/fuzz-passes/run $B --cases=$(or $(FUZZ_CASES),20000) \
		--seconds=$(or $(FUZZ_SECONDS),0) --seed=$(or $(FUZZ_SEED),1)

fuzz-bang: all ## the same as BANG-C, emulated: BANG_LEAST (30) of each
	$Qutils/fuzz-ops/run $B --bang --least=$(or $(BANG_LEAST),30) \
		--report=$B/fuzz-bang.tsv --seed=$(or $(FUZZ_SEED),1)

models: ## write examples/*.relay anew
	$Q$(PYTHON) -B utils/models/generate.py examples

install: all ## install into DESTDIR/PREFIX
	$QDESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" utils/install $B

uninstall: ## remove what install wrote
	$QDESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" utils/install --remove $B

format: ## run clang-format over the sources
	$Qgit ls-files '*.c' '*.h' | xargs clang-format-19 -i

stats: ## lines of code by folder
	$Qutils/stats

clean: ## remove build/
	$Qrm -rf build

help: ## this list
	$Qsed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | \
		expand -t 14
