#!/bin/sh
# check_kernel_symbols.sh NM NAMESPACE OBJECT...: finds symbols that a kernel file for a newer processor shares with the
# rest of the program. The linker keeps one copy of a weak symbol; if it is the newer one, older processors crash.
set -eu
nm=$1
namespace=$2
shift 2
[ $# -gt 0 ] || { echo "no objects to look at"; exit 1; }
shared=$("$nm" -A -C --defined-only "$@" | grep ' [WVu] ' | grep -v " [WVu] .*$namespace" || true)
[ -z "$shared" ] || { echo "weak symbols outside $namespace:"; echo "$shared"; exit 1; }
defined=$("$nm" -C --defined-only "$@" | grep -c " T .*$namespace") || { echo "nothing in $namespace"; exit 1; }
echo "$defined functions, none shared"
