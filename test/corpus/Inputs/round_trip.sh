#!/bin/bash
# round_trip.sh DIRECTORY: every .ttir and .ttgir below it parses, verifies and reaches a print fixed point with locations
# and argument names, as text and through bytecode. Prints each file that does not, then how many do.
set -u
flags="--mlir-print-debuginfo --mlir-use-nameloc-as-prefix"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
good=0 all=0
for file in $(find "$1" -name '*.ttir' -o -name '*.ttgir' | sort); do
  all=$((all + 1))
  if nereid-opt "$file" $flags -o "$work/1.mlir" &&
    nereid-opt "$work/1.mlir" $flags -o "$work/2.mlir" && cmp "$work/1.mlir" "$work/2.mlir" &&
    nereid-opt "$file" --emit-bytecode -o "$work/3.mlirbc" &&
    nereid-opt "$work/3.mlirbc" $flags -o "$work/4.mlir" && cmp "$work/1.mlir" "$work/4.mlir"; then
    good=$((good + 1))
  else
    echo "$file"
  fi
done
echo "$good of $all"
[ "$good" = "$all" ] && [ "$all" -gt 0 ]
