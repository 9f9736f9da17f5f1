#!/bin/sh
# roundtrip.sh CORPUS SUFFIX SCRATCH AT-LEAST: every CORPUS/**/*.SUFFIX parses and verifies, comes back byte for byte but
# for names of values, then prints what it parses again to (with locations and names), comes back from bytecode the
# same, and keeps the names of the kernels' arguments. (Names of loop variables are not in the text that scf.for reads.)
# Prints the number of files; fails on the first that does not, or when there are fewer than AT-LEAST.
corpus=$1 suffix=$2 scratch=$3 least=$4
names="--mlir-print-debuginfo --mlir-use-nameloc-as-prefix"
mkdir -p "$scratch" || exit 2
fail() {
  echo "$1: $2"
  exit 1
}
arguments() { # of every function, in order
  grep -E '^ *tt\.func ' "$1" | grep -oE '%[A-Za-z_0-9]+:' | sort
}
unnamed() { # and without a blank line at the end
  sed -E 's/%[A-Za-z_0-9]+/%/g' "$1" | sed -e '${/^$/d}'
}
count=0
for file in $(find "$corpus" -name "*.$suffix" | sort); do
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
[ "$count" -ge "$least" ] || fail "$corpus" "has fewer than $least"
