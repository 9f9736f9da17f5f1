// Round trips of the launch grid ops, functions and calls: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func private @callee
tt.func private @callee(%x: i32, %xs: tensor<16xf32>) -> (i32, tensor<16xf32>) attributes {noinline = true} {
  // CHECK: tt.return %{{.*}}, %{{.*}} : i32, tensor<16xf32>
  tt.return %x, %xs : i32, tensor<16xf32>
}

// CHECK: tt.func private @declared(i32 {tt.divisibility = 16 : i32}) -> f32
tt.func private @declared(i32 {tt.divisibility = 16 : i32}) -> f32

// CHECK-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %xs: tensor<16xf32>) attributes {noinline = false} {
  // CHECK: %{{.*}} = tt.get_program_id x : i32
  %0 = tt.get_program_id x : i32
  // CHECK: %{{.*}} = tt.get_program_id y : i32
  %1 = tt.get_program_id y : i32
  // CHECK: %{{.*}} = tt.get_num_programs z : i32
  %2 = tt.get_num_programs z : i32
  // CHECK: %{{.*}}:2 = tt.call @callee(%{{.*}}, %{{.*}}) : (i32, tensor<16xf32>) -> (i32, tensor<16xf32>)
  %3:2 = tt.call @callee(%0, %xs) : (i32, tensor<16xf32>) -> (i32, tensor<16xf32>)
  // CHECK: %{{.*}} = tt.call @declared(%{{.*}}) : (i32) -> f32
  %4 = tt.call @declared(%3#0) : (i32) -> f32
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @"name
tt.func @"name with$odd.characters"(%arg0: !tt.tensordesc<tensor<16x16xsi8>>, %arg1: i32 loc("named")) {
  // CHECK: tt.call @nothing() : () -> ()
  tt.call @nothing() : () -> ()
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func private @nothing
tt.func private @nothing() {
  // CHECK: tt.return
  tt.return
}

// Only `1 : i32` marks a TMA descriptor; hints may have one value per dimension.
// CHECK-LABEL: tt.func private @attributes
// CHECK-SAME: {tt.nv_tma_desc = 0 : i32}, %{{.*}}: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i64}
// CHECK-SAME: {tt.contiguity = 8 : i64, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}
tt.func private @attributes(%a: !tt.ptr<i8> {tt.nv_tma_desc = 0 : i32}, %b: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i64},
                            %c: tensor<2x2xi32> {tt.contiguity = 8 : i64, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}) {
  tt.return
}

// CHECK-LABEL: tt.func public @descriptor
// CHECK-SAME: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}
tt.func public @descriptor(%a: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
  tt.return
}

// CHECK-LABEL: tt.func @switches
// CHECK: {tt.flatten, tt.num_stages = 3 : i32, tt.warp_specialize = true}
tt.func @switches(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
  } {tt.flatten, tt.num_stages = 3 : i32, tt.warp_specialize = true}
  tt.return
}
