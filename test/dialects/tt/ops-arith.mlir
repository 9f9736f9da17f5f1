// Round trips of elementwise operations, scalar and tensor: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @math
tt.func @math(%x: f32, %i: i32, %xs: tensor<16xf32>, %is: tensor<16xi32>) {
  // CHECK: %{{.*}} = tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : f32
  %0 = tt.clampf %x, %x, %x, propagateNan = none : f32
  // CHECK: %{{.*}} = tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<16xf32>
  %1 = tt.clampf %xs, %xs, %xs, propagateNan = all : tensor<16xf32>
  // CHECK: %{{.*}} = tt.precise_sqrt %{{.*}} : f32
  %2 = tt.precise_sqrt %x : f32
  // CHECK: %{{.*}} = tt.precise_sqrt %{{.*}} : tensor<16xf32>
  %3 = tt.precise_sqrt %xs : tensor<16xf32>
  // CHECK: %{{.*}} = tt.precise_divf %{{.*}}, %{{.*}} : f32
  %4 = tt.precise_divf %x, %x : f32
  // CHECK: %{{.*}} = tt.precise_divf %{{.*}}, %{{.*}} : tensor<16xf32>
  %5 = tt.precise_divf %xs, %xs : tensor<16xf32>
  // CHECK: %{{.*}} = tt.mulhiui %{{.*}}, %{{.*}} : i32
  %6 = tt.mulhiui %i, %i : i32
  // CHECK: %{{.*}} = tt.mulhiui %{{.*}}, %{{.*}} : tensor<16xi32>
  %7 = tt.mulhiui %is, %is : tensor<16xi32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @foreign
tt.func @foreign(%x: f32, %xs: tensor<16xf32>, %bytes: tensor<16xi8>) {
  // CHECK: %{{.*}} = tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (f32) -> f32
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (f32) -> f32
  // CHECK: %{{.*}} = tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "libdevice", libpath = "", pure = false, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = tt.extern_elementwise %xs, %xs {libname = "libdevice", libpath = "", pure = false, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // CHECK: %{{.*}} = tt.elementwise_inline_asm "add.f32 $0, $1, 1.0;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %{{.*}} : f32 -> f32
  %2 = tt.elementwise_inline_asm "add.f32 $0, $1, 1.0;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  // CHECK: %{{.*}} = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<16xi8> -> tensor<16xi8>
  %3 = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %bytes : tensor<16xi8> -> tensor<16xi8>
  // CHECK: %{{.*}}:2 = tt.elementwise_inline_asm "mov.u64 $0, %{{.*}}; mov.u32 $1, %{{.*}};" {constraints = "=l,=r", packed_element = 1 : i32, pure = false} -> i64, i32
  %4:2 = tt.elementwise_inline_asm "mov.u64 $0, %clock64; mov.u32 $1, %smid;" {constraints = "=l,=r", packed_element = 1 : i32, pure = false} -> i64, i32
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @mapped
tt.func @mapped(%xs: tensor<16xf32>, %is: tensor<16xi32>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 1 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}} : f32
  // CHECK: }) : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  %0 = "tt.map_elementwise"(%xs, %is) <{pack = 1 : i32}> ({
  ^bb0(%x: f32, %i: i32):
    %c = arith.sitofp %i : i32 to f32
    %y = arith.addf %x, %c : f32
    "tt.map_elementwise.return"(%y) : (f32) -> ()
  }) : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  // CHECK: tt.return
  tt.return
}
