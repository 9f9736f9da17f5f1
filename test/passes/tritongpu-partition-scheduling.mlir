// RUN: nereid-opt %s --split-input-file --tritongpu-partition-scheduling=num-stages=3 | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-partition-scheduling=enable=false | FileCheck %s --check-prefix=OFF
// RUN: nereid-opt %s --split-input-file --tritongpu-partition-scheduling --remarks-filter-missed=tritongpu-partition-scheduling 2>&1 | FileCheck %s --check-prefix=REMARK
// OFF-NOT: warp_specialize
// OFF-NOT: ttg.partition

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// A persistent matrix multiplication: the outer loop is divided with the inner one.
// CHECK-LABEL: @persistent
// CHECK: scf.for %[[TILE:.*]] = {{.*}} {
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]], %{{.*}} {ttg.partition = array<i32: 0, 1>}
// CHECK: scf.for
// CHECK: %[[COLUMN:.*]] = arith.muli {{.*}} {ttg.partition = array<i32: 1>}
// CHECK: tt.descriptor_load %{{.*}}[%[[ROW]], %[[COLUMN]]] {ttg.partition = array<i32: 1>, ttg.partition.slots = 4 : i32}
// CHECK: ttg.local_alloc {{.*}} {ttg.partition = array<i32: 0>}
// CHECK: ttng.warp_group_dot {{.*}}ttg.partition = array<i32: 0>
// CHECK: } {ttg.partition = array<i32: 0, 1>}
// CHECK: arith.truncf {{.*}} {ttg.partition = array<i32: 0>}
// CHECK: tt.descriptor_store {{.*}} {ttg.partition = array<i32: 0>}
// CHECK: } {ttg.warp_specialize.tag = 0 : i32}
tt.func public @persistent(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x64xf16, #shared>>, %c: !tt.tensordesc<tensor<64x64xf16, #shared>>, %tiles: i32, %steps: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %row = arith.muli %tile, %c64 : i32
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %column = arith.muli %k, %c64 : i32
      %x = tt.descriptor_load %a[%row, %column] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %xs = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %y = tt.descriptor_load %b[%column, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %ys = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttng.warp_group_dot %xs, %ys, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %h = arith.truncf %sum : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    tt.descriptor_store %c[%row, %c0], %h : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #mma>
  } {tt.warp_specialize}
  tt.return
}

// A tile that is used in registers, loaded once per outer iteration into a single slot.
// CHECK-LABEL: @bias
// CHECK: tt.descriptor_load {{.*}} {ttg.partition = array<i32: 1>, ttg.partition.slots = 1 : i32}
// CHECK: scf.for
// CHECK: tt.descriptor_load {{.*}} {ttg.partition = array<i32: 1>, ttg.partition.slots = 4 : i32}
// CHECK: } {ttg.warp_specialize.tag = 1 : i32}
tt.func public @bias(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x64xf16, #shared>>, %c: !tt.tensordesc<tensor<64x64xf16, #shared>>, %tiles: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %bias = tt.descriptor_load %b[%tile, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %bias) -> (tensor<64x64xf16, #blocked>) : i32 {
      %x = tt.descriptor_load %a[%tile, %k] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %d = arith.addf %x, %acc : tensor<64x64xf16, #blocked>
      scf.yield %d : tensor<64x64xf16, #blocked>
    }
    tt.descriptor_store %c[%tile, %c0], %sum : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  } {tt.warp_specialize}
  tt.return
}

// With one group of warps, a chain of dots stays.
// CHECK-LABEL: @short_chain
// CHECK-NOT: ttg.partition
// CHECK-LABEL: @in_place
tt.func public @short_chain(%k: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %s = ttng.warp_group_dot %q, %xs, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.store %out, %sum : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// REMARK: not warp-specialized: no load through a descriptor, or of a dot's operand, can be executed ahead of its use
tt.func public @in_place(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.descriptor_load %a[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    tt.descriptor_store %a[%i, %c0], %x : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  } {tt.warp_specialize}
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#transposed = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// With two groups, it is divided without a request.
// CHECK-LABEL: @chain
// CHECK: tt.descriptor_load {{.*}} {ttg.partition = array<i32: 1>, ttg.partition.slots = 4 : i32}
// CHECK: } {ttg.warp_specialize.tag = 0 : i32}
tt.func public @chain(%k: !tt.tensordesc<tensor<128x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c128 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %xt = ttg.memdesc_trans %xs {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #transposed, #smem>
    %s = ttng.warp_group_dot %q, %xt, %zeros : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x128xf16, #transposed, #smem> -> tensor<128x128xf32, #mma>
    %h = arith.truncf %s : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc : tensor<128x128xf16, #dot> * !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}

// The operand of the second dot may depend on the first one through a branch, such as that of a mask.
// CHECK-LABEL: @chain_through_branch
// CHECK: tt.descriptor_load {{.*}} {ttg.partition = array<i32: 1>, ttg.partition.slots = 4 : i32}
// CHECK: } {ttg.warp_specialize.tag = 1 : i32}
tt.func public @chain_through_branch(%k: !tt.tensordesc<tensor<128x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c128 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %xt = ttg.memdesc_trans %xs {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #transposed, #smem>
    %s = ttng.warp_group_dot %q, %xt, %zeros : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x128xf16, #transposed, #smem> -> tensor<128x128xf32, #mma>
    %is_first = arith.cmpi eq, %i, %c0 : i32
    %m = scf.if %is_first -> (tensor<128x128xf32, #mma>) {
      %twice = arith.addf %s, %s : tensor<128x128xf32, #mma>
      scf.yield %twice : tensor<128x128xf32, #mma>
    } else {
      scf.yield %s : tensor<128x128xf32, #mma>
    }
    %h = arith.truncf %m : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc : tensor<128x128xf16, #dot> * !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}

// Registers and shared memory leave two CTAs of the pipelined loop: not divided.
// CHECK-LABEL: @two_ctas
// CHECK-NOT: ttg.partition
// CHECK: tt.return
// REMARK: not warp-specialized: a multiprocessor executes two CTAs of the pipelined loop
tt.func public @two_ctas(%k: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %s = ttng.warp_group_dot %q, %xs, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %h = arith.truncf %s : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}

// A dot that depends on no other one overlaps what is computed from them: not divided.
// CHECK-LABEL: @independent_dots
// CHECK-NOT: ttg.warp_specialize.tag
// CHECK: tt.return
tt.func public @independent_dots(%k: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %s = ttng.warp_group_dot %q, %xs, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %h = arith.truncf %s : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #dot>
    %y = tt.descriptor_load %k[%c0, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %p, %ys, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %t = ttng.warp_group_dot %q, %ys, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %next = arith.addf %d, %t : tensor<128x64xf32, #mma>
    scf.yield %next : tensor<128x64xf32, #mma>
  }
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}
}

// -----

// A loop outside of the functions of tt stays.
// CHECK-LABEL: @other_function
// CHECK-NOT: ttg.warp_specialize.tag
// REMARK: not warp-specialized: it is not in a tt.func
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @other_function(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
    } {tt.warp_specialize}
    llvm.return
  }
}
