// Memory effects under cse and loop-invariant-code-motion: ops that are merged, erased or hoisted.
// RUN: nereid-opt %s --cse --loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: @loads
// CHECK-COUNT-1: tt.load %{{[^{]*}} : !tt.ptr<f32>
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @loads(%p: !tt.ptr<f32>) -> f32 {
  %unused = tt.load %p : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  %1 = tt.load %p : !tt.ptr<f32>
  %2 = arith.addf %0, %1 : f32
  tt.return %2 : f32
}

// CHECK-LABEL: @store_between
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.load
tt.func @store_between(%p: !tt.ptr<f32>) -> f32 {
  %0 = tt.load %p : !tt.ptr<f32>
  tt.store %p, %0 : !tt.ptr<f32>
  %1 = tt.load %p : !tt.ptr<f32>
  %2 = arith.addf %0, %1 : f32
  tt.return %2 : f32
}

// CHECK-LABEL: @volatile_loads
// CHECK-COUNT-3: tt.load %{{.*}} {isVolatile = true}
tt.func @volatile_loads(%p: !tt.ptr<f32>) -> f32 {
  %unused = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %0 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %2 = arith.addf %0, %1 : f32
  tt.return %2 : f32
}

// CHECK-LABEL: @atomics
// CHECK-COUNT-2: tt.atomic_rmw
// CHECK-COUNT-2: tt.atomic_cas
tt.func @atomics(%p: !tt.ptr<i32>, %x: i32) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i32>, i32, i32) -> i32
  %3 = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// CHECK-LABEL: @host
// CHECK-COUNT-2: tt.print
// CHECK-COUNT-2: tt.assert
tt.func @host(%x: i32, %ok: i1) {
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : i32
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : i32
  tt.assert %ok, "ok" : i1
  tt.assert %ok, "ok" : i1
  tt.return
}

// CHECK-LABEL: @pure_operations
// CHECK-COUNT-1: tt.get_program_id
// CHECK-NOT: tt.get_program_id
// CHECK: tt.return
tt.func @pure_operations() -> i32 {
  %unused = tt.get_num_programs x : i32
  %0 = tt.get_program_id x : i32
  %1 = tt.get_program_id x : i32
  %2 = arith.addi %0, %1 : i32
  tt.return %2 : i32
}

// CHECK-LABEL: @foreign
// CHECK-NOT: pure = true
// CHECK-COUNT-2: tt.extern_elementwise
// CHECK-COUNT-2: tt.elementwise_inline_asm
// CHECK: tt.return
tt.func @foreign(%x: f32) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (f32) -> f32
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> f32
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> f32
  %3 = tt.elementwise_inline_asm "f" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  %4 = tt.elementwise_inline_asm "f" {constraints = "=f,f", packed_element = 1 : i32, pure = false} %x : f32 -> f32
  %5 = tt.elementwise_inline_asm "f" {constraints = "=f,f", packed_element = 1 : i32, pure = false} %x : f32 -> f32
  tt.return
}

// A pure external function is hoisted out of a loop that may not run; a load is not, nor tt.cat: its order is unspecified.
// CHECK-LABEL: @speculation
// CHECK: symbol = "moves"
// CHECK: tt.elementwise_inline_asm "moves"
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.cat
// CHECK: symbol = "stays"
// CHECK: tt.elementwise_inline_asm "stays"
tt.func @speculation(%n: i32, %p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>, %out: tensor<16x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %1 = tt.cat %x, %x : tensor<8xf32> -> tensor<16xf32>
    %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "stays"} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "moves"} : (tensor<8xf32>) -> tensor<8xf32>
    %4 = tt.elementwise_inline_asm "moves" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : tensor<8xf32> -> tensor<8xf32>
    %5 = tt.elementwise_inline_asm "stays" {constraints = "=f,f", packed_element = 1 : i32, pure = false} %x : tensor<8xf32> -> tensor<8xf32>
    %6 = arith.addf %3, %4 : tensor<8xf32>
    %7 = arith.addf %0, %6 : tensor<8xf32>
    tt.store %p, %7 : tensor<8x!tt.ptr<f32>>
    tt.store %out, %1 : tensor<16x!tt.ptr<f32>>
  }
  tt.return
}
