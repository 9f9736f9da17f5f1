// Loads of scalars and vectors with which an iteration computes, but on which no dot depends, are one iteration ahead:
// in registers where they take few (%rows, two per thread, and %scalar), by cp.async next to other copies (%columns, 64
// per thread). The value that the program itself loads for the next iteration stays (%next).
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops | FileCheck %s --check-prefix=SCHEDULE
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s --check-prefix=PIPELINE

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#columns = #ttg.slice<{dim = 0, parent = #mma}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @scales
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<64x128x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {loop.in_registers, tt.latency = 1 : i32} : tensor<64x!tt.ptr<f32>
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<128x!tt.ptr<f32>
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : !tt.ptr<f32>
  // CHECK: tt.load %{{[a-z0-9]+}} : !tt.ptr<f32>
  // The loads are issued before the work of the last stage.
  // SCHEDULE-LABEL: @scales
  // SCHEDULE: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.in_registers, loop.stage = 1 : i32
  // SCHEDULE: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32{{.*}} : !tt.ptr<f32>
  // PIPELINE-LABEL: @scales
  // PIPELINE: scf.for {{.*}} iter_args(
  // PIPELINE: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>
  // PIPELINE: ttg.async_copy_global_to_local %{{.*}} : tensor<128x!tt.ptr<f32>
  // PIPELINE: ttng.warp_group_dot
  tt.func public @scales(%p: tensor<64x64x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %sp: tensor<64x!tt.ptr<f32>, #rows>, %sq: tensor<128x!tt.ptr<f32>, #columns>, %s: !tt.ptr<f32>, %n: i32, %first: f32) -> tensor<64x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %carried = %first) -> (tensor<64x128xf32, #mma>, f32) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
      %y = tt.load %q : tensor<64x128x!tt.ptr<f16>, #row>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x128xf16, #row>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
      %is = tt.splat %i : i32 -> tensor<64xi32, #rows>
      %pr = tt.addptr %sp, %is : tensor<64x!tt.ptr<f32>, #rows>, tensor<64xi32, #rows>
      %rows = tt.load %pr : tensor<64x!tt.ptr<f32>, #rows>
      %ic = tt.splat %i : i32 -> tensor<128xi32, #columns>
      %pc = tt.addptr %sq, %ic : tensor<128x!tt.ptr<f32>, #columns>, tensor<128xi32, #columns>
      %columns = tt.load %pc : tensor<128x!tt.ptr<f32>, #columns>
      %ps = tt.addptr %s, %i : !tt.ptr<f32>, i32
      %scalar = tt.load %ps : !tt.ptr<f32>
      %next_i = arith.addi %i, %c1 : i32
      %pn = tt.addptr %s, %next_i : !tt.ptr<f32>, i32
      %next = tt.load %pn : !tt.ptr<f32>
      %d = ttng.warp_group_dot %a, %b, %zero {isAsync = false} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
      %re = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xf32, #rows> -> tensor<64x1xf32, #mma>
      %rb = tt.broadcast %re : tensor<64x1xf32, #mma> -> tensor<64x128xf32, #mma>
      %ce = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xf32, #columns> -> tensor<1x128xf32, #mma>
      %cb = tt.broadcast %ce : tensor<1x128xf32, #mma> -> tensor<64x128xf32, #mma>
      %both = arith.addf %scalar, %carried : f32
      %sb = tt.splat %both : f32 -> tensor<64x128xf32, #mma>
      %d1 = arith.mulf %d, %rb : tensor<64x128xf32, #mma>
      %d2 = arith.mulf %d1, %cb : tensor<64x128xf32, #mma>
      %d3 = arith.mulf %d2, %sb : tensor<64x128xf32, #mma>
      %sum = arith.addf %acc, %d3 : tensor<64x128xf32, #mma>
      scf.yield %sum, %next : tensor<64x128xf32, #mma>, f32
    }
    tt.return %r#0 : tensor<64x128xf32, #mma>
  }
}

// -----

// They stay where no operand of a dot is loaded ahead, and where the loop may write what they read.
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @no_operand
  // CHECK: scf.for
  // CHECK-NOT: tt.latency
  // CHECK: tt.return
  tt.func public @no_operand(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x128xf16, #shared, #smem>, %s: !tt.ptr<f32>, %n: i32) -> tensor<64x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %ps = tt.addptr %s, %i : !tt.ptr<f32>, i32
      %scalar = tt.load %ps : !tt.ptr<f32>
      %d = ttng.warp_group_dot %a, %b, %zero {isAsync = false} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
      %sb = tt.splat %scalar : f32 -> tensor<64x128xf32, #mma>
      %d1 = arith.mulf %d, %sb : tensor<64x128xf32, #mma>
      %sum = arith.addf %acc, %d1 : tensor<64x128xf32, #mma>
      scf.yield %sum : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }

  // CHECK-LABEL: @written
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} : !tt.ptr<f32>
  // CHECK: tt.return
  tt.func public @written(%p: tensor<64x64x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x128xf16, #shared, #smem>, %s: !tt.ptr<f32>, %n: i32) -> tensor<64x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f1 = arith.constant 1.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %scalar = tt.load %s : !tt.ptr<f32>
      %d = ttng.warp_group_dot %a, %b, %zero {isAsync = false} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
      %sb = tt.splat %scalar : f32 -> tensor<64x128xf32, #mma>
      %d1 = arith.mulf %d, %sb : tensor<64x128xf32, #mma>
      %sum = arith.addf %acc, %d1 : tensor<64x128xf32, #mma>
      %more = arith.addf %scalar, %f1 : f32
      tt.store %s, %more : !tt.ptr<f32>
      scf.yield %sum : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }
}
