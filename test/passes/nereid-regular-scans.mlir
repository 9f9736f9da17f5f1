// Converts operands of scans to layouts in which each index bit is the image of one register, lane or warp bit.
// RUN: nereid-opt %s --nereid-regular-scans | FileCheck %s

// Warps hold the same elements with exchanged lane halves; lanes and warps replicate a register and a row.
// CHECK-DAG: [[TWICE:#.*]] = #ttg.linear<{register = [], lane = {{\[}}[1], [2], [4], [8], [16]], warp = {{\[}}[32], [64], [16]], block = []}>
// CHECK-DAG: [[ONCE:#.*]] = #ttg.linear<{register = [], lane = {{\[}}[1], [2], [4], [8], [16]], warp = {{\[}}[32], [64], [0]], block = []}>
// CHECK-DAG: [[PLAIN:#.*]] = #ttg.linear<{register = {{\[}}[0, 1]], lane = {{\[}}[0, 0], [0, 2], [1, 0], [2, 0], [0, 4]], warp = {{\[}}[4, 0], [8, 0], [0, 0]], block = []}>
#twice = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [16]], block = []}>
#repeated = #ttg.linear<{register = [[0, 1]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 4]], warp = [[4, 0], [8, 0], [2, 0]], block = []}>

module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: tt.func @copies(
// CHECK: [[X:%.*]] = ttg.convert_layout %{{.*}} : tensor<128xf32, [[TWICE]]> -> tensor<128xf32, [[ONCE]]>
// CHECK: [[I:%.*]] = ttg.convert_layout %{{.*}} : tensor<128xi32, [[TWICE]]> -> tensor<128xi32, [[ONCE]]>
// CHECK: [[Y:%.*]]:2 = "tt.scan"([[X]], [[I]])
// CHECK: }) : (tensor<128xf32, [[ONCE]]>, tensor<128xi32, [[ONCE]]>) -> (tensor<128xf32, [[ONCE]]>, tensor<128xi32, [[ONCE]]>)
// CHECK: [[F:%.*]] = ttg.convert_layout [[Y]]#0 : tensor<128xf32, [[ONCE]]> -> tensor<128xf32, [[TWICE]]>
// CHECK: [[S:%.*]] = ttg.convert_layout [[Y]]#1 : tensor<128xi32, [[ONCE]]> -> tensor<128xi32, [[TWICE]]>
// CHECK: tt.return [[F]], [[S]]
tt.func @copies(%x: tensor<128xf32, #twice>, %i: tensor<128xi32, #twice>) -> (tensor<128xf32, #twice>, tensor<128xi32, #twice>) {
  %y:2 = "tt.scan"(%x, %i) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
    %c = arith.addf %a, %b : f32
    %d = arith.addi %m, %n : i32
    tt.scan.return %c, %d : f32, i32
  }) : (tensor<128xf32, #twice>, tensor<128xi32, #twice>) -> (tensor<128xf32, #twice>, tensor<128xi32, #twice>)
  tt.return %y#0, %y#1 : tensor<128xf32, #twice>, tensor<128xi32, #twice>
}

// CHECK-LABEL: tt.func @repeated(
// CHECK: }) : (tensor<16x8xf32, [[PLAIN]]>) -> tensor<16x8xf32, [[PLAIN]]>
tt.func @repeated(%x: tensor<16x8xf32, #repeated>) -> tensor<16x8xf32, #repeated> {
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<16x8xf32, #repeated>) -> tensor<16x8xf32, #repeated>
  tt.return %y : tensor<16x8xf32, #repeated>
}
}
