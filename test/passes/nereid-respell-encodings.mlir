// Layouts that are not permutations are `linear` up to Triton 3.7, `generic_linear` from 3.8 on.
// RUN: nereid-opt %s --nereid-respell=version=3.7 | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: nereid-opt %s --nereid-respell=version=3.8 | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: nereid-opt %s --print-triton-version=3.6 | nereid-opt --print-triton-version 3.9 | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s --check-prefixes=CHECK,NEW

// OLD-DAG: #[[TWICE:.*]] = #ttg.linear<{register = {{\[\[}}1], [64]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [64]], block = []}>
// OLD-DAG: #[[STEPS:.*]] = #ttg.linear<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}96], [0]], block = []}>
// NEW-DAG: #[[TWICE:.*]] = #ttg.generic_linear<{register = {{\[\[}}1], [64]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [64]], block = []}>
// NEW-DAG: #[[STEPS:.*]] = #ttg.generic_linear<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}96], [0]], block = []}>
// CHECK-DAG: #[[ONCE:.*]] = #ttg.linear<{register = {{\[\[}}1], [0]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [0]], block = []}>
#twice = #ttg.linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [64]], block = []}>
#steps = #ttg.generic_linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[96], [0]], block = []}>
#once = #ttg.linear<{register = [[1], [0]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @encodings
  // CHECK-SAME: tensor<128xi32, #[[TWICE]]>, %{{.*}}: tensor<128xi32, #[[STEPS]]>, %{{.*}}: tensor<128xi32, #[[ONCE]]>
  tt.func @encodings(%a: tensor<128xi32, #twice>, %b: tensor<128xi32, #steps>, %c: tensor<128xi32, #once>) {
    tt.return
  }
}
