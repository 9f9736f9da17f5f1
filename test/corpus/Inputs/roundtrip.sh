#!/bin/sh
# roundtrip.sh SUFFIX SCRATCH MINIMUM PATH...: checks every *.SUFFIX in the given files and folders.
#
# Each file must parse and verify, print its own text (except SSA names), print the same text a second time (with
# locations and names) and after a round trip through bytecode, and keep the names of the kernels' arguments. The custom
# form of scf.for does not keep the names of loop variables. Prints the number of files. Fails on the first file that
# does not pass, or when there are fewer than MINIMUM.
suffix=$1 scratch=$2 minimum=$3
shift 3
names="--mlir-print-debuginfo --mlir-use-nameloc-as-prefix"
mkdir -p "$scratch" || exit 2
fail() {
  echo "$1: $2"
  exit 1
}
arguments() { # of every function, in order
  grep -E '^ *tt\.func ' "$1" | grep -oE '%[A-Za-z_0-9]+:' | sort
}
unnamed() { # and without a trailing empty line
  sed -E 's/%[A-Za-z_0-9]+/%/g' "$1" | sed -e '${/^$/d}'
}
count=0
for file in $(find "$@" -name "*.$suffix" | sort); do
  nereid-opt $names "$file" -o "$scratch/once" || fail "$file" "does not parse or verify"
  unnamed "$file" >"$scratch/expected"
  unnamed "$scratch/once" >"$scratch/got"
  cmp "$scratch/expected" "$scratch/got" || fail "$file" "comes back different"
  nereid-opt $names "$scratch/once" -o "$scratch/twice" || fail "$file" "does not parse again"
  cmp "$scratch/once" "$scratch/twice" || fail "$file" "prints differently the second time"
  nereid-opt --emit-bytecode "$file" -o "$scratch/bytecode" || fail "$file" "has no bytecode"
  nereid-opt $names "$scratch/bytecode" -o "$scratch/twice" || fail "$file" "does not come back from bytecode"
  cmp "$scratch/once" "$scratch/twice" || fail "$file" "comes back different from bytecode"
  arguments "$file" >"$scratch/expected"
  arguments "$scratch/once" >"$scratch/got"
  cmp "$scratch/expected" "$scratch/got" || fail "$file" "loses names of arguments"
  count=$((count + 1))
done
echo "$count files of .$suffix"
[ "$count" -ge "$minimum" ] || fail "$*" "has fewer than $minimum"
