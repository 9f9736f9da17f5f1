#!/bin/bash
# compare_signatures.sh CORPUS INPUTS WORK: compiles the signature of every kernel of the corpus that has PTX and compares
# .entry, names, types, alignments, order and directives of the parameters with that PTX. Prints the kernels that agree.
# Descriptors of a .ttir are rewritten to pointers (docs/abi.md): such kernels are compared from .ttgir.
corpus=$1 inputs=$2 work=$3
mkdir -p "$work"
for ptx in "$corpus"/kernels/*.ptx; do
  base=${ptx%.ptx} name=$(basename "${ptx%.ptx}")
  awk -f "$inputs/parameters.awk" "$ptx" > "$work/wanted"
  for stage in ttir ttgir; do
    options=()
    [ $stage = ttir ] && grep -q 'tt.func public.*tensordesc' "$base.ttir" && continue
    if [ $stage = ttir ]; then
      for option in num-warps num-ctas; do
        value=$(sed -n "s/.*\"ttg.$option\" = \([0-9]*\).*/\1/p" "$base.ttgir" | head -1)
        options+=(--$option "${value:-1}")
      done
    fi
    awk -f "$inputs/signature.awk" "$base.$stage" > "$work/$name.$stage"
    nereid compile "$work/$name.$stage" "${options[@]}" --emit ptx -o "$work/out.ptx" || exit 1
    awk -f "$inputs/parameters.awk" "$work/out.ptx" > "$work/found"
    diff "$work/wanted" "$work/found" || { echo "$name.$stage has other parameters"; exit 1; }
  done
  echo "same: $name"
done
