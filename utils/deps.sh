#!/bin/sh
# Installs what building and testing need from Debian's own archive when run
# as root; otherwise prints the one line to run.  Does nothing, quickly, when
# everything is there.
#
#   utils/deps.sh [--tests | --fuzz]     also what some tests use where it is
#                                        there, or what fuzzers are built with

missing=
need() { # need PACKAGE TEST...
	pkg=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $pkg"
}
header() {
	for dir in /usr/include /usr/local/include; do
		test -e "$dir/$1" && return 0
	done
	return 1
}

need make command -v make
need gcc command -v gcc
need libc6-dev header stdio.h
need python3 command -v python3
need flex command -v flex
need bison command -v bison
need libjansson-dev header jansson.h
need llvm-19-dev command -v llvm-config-19
need llvm-19-tools test -x /usr/lib/llvm-19/bin/FileCheck
if [ "$1" = --tests ]; then
	need clang-19 command -v clang++-19
	need clang-format-19 command -v clang-format-19
	need qemu-user command -v qemu-aarch64
	need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
	need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
fi
if [ "$1" = --fuzz ]; then
	need clang-19 command -v clang-19
	need libclang-rt-19-dev \
		sh -c 'ls /usr/lib/llvm-19/lib/clang/19/lib/linux/*fuzzer*'
fi

test -z "$missing" && exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
	echo "Some packages are missing.  As root, run:" >&2
	echo "  $line" >&2
	exit 1
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >&2 && $line >&2
