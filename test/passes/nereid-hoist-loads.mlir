// nereid-hoist-loads: loads outside of loops begin before the first op at which threads wait.
// RUN: nereid-opt --nereid-hoist-loads %s | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The operand of the second dot is copied while the first one is computed, and the row of factors is loaded before it. The copy's
  // addresses and mask move along.
  // CHECK-LABEL: tt.func public @second_dot
  // CHECK:         %[[A:.*]] = tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>
  // CHECK:         %[[MASK:.*]] = arith.cmpi slt
  // CHECK:         %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, {{.*}}, mutable>
  // CHECK-NEXT:    %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16
  // CHECK-NEXT:    ttg.async_copy_global_to_local %{{.*}}, %[[B]] mask %{{.*}} other %[[ZERO]]
  // CHECK-NEXT:    ttg.async_commit_group
  // CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<f32>
  // CHECK:         %[[X:.*]] = ttg.local_alloc %[[A]]
  // CHECK:         ttng.warp_group_dot %[[X]]
  // CHECK:         ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT:    ttng.warp_group_dot %[[X]], %[[B]]
  tt.func public @second_dot(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                             %r: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %out: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #row>
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %i = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<64x1xi32, #row>
    %j = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xi32, #row>
    %start = arith.muli %i, %c64 : tensor<64x1xi32, #row>
    %starts = tt.broadcast %start : tensor<64x1xi32, #row> -> tensor<64x64xi32, #row>
    %js = tt.broadcast %j : tensor<1x64xi32, #row> -> tensor<64x64xi32, #row>
    %offsets = arith.addi %starts, %js : tensor<64x64xi32, #row>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #row>
    %pa = tt.addptr %ps, %offsets : tensor<64x64x!tt.ptr<f16>, #row>, tensor<64x64xi32, #row>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #row>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %c = ttng.warp_group_dot %x, %x, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
    %ns = tt.splat %n : i32 -> tensor<64x1xi32, #row>
    %m = arith.cmpi slt, %i, %ns : tensor<64x1xi32, #row>
    %mask = tt.broadcast %m : tensor<64x1xi1, #row> -> tensor<64x64xi1, #row>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #row>
    %pb = tt.addptr %qs, %offsets : tensor<64x64x!tt.ptr<f16>, #row>, tensor<64x64xi32, #row>
    %b = tt.load %pb, %mask : tensor<64x64x!tt.ptr<f16>, #row>
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %d = ttng.warp_group_dot %x, %y, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
    %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %rs = tt.splat %r : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %pg = tt.addptr %rs, %k : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %g = tt.load %pg : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %column = tt.expand_dims %g {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64x1xf32, #mma>
    %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %e = arith.mulf %d, %factors : tensor<64x64xf32, #mma>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %os, %e : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // No load moves over a store through the same argument; volatile loads and those in loops stay.
  // CHECK-LABEL: tt.func public @stays
  // CHECK-NOT:     ttg.async_copy_global_to_local
  // CHECK:         tt.store
  // CHECK-NEXT:    tt.load
  // CHECK:         ttng.warp_group_dot
  // CHECK:         tt.load {{.*}}isVolatile = true
  // CHECK:         scf.for
  // CHECK:           ttng.warp_group_dot
  // CHECK:           tt.load
  // CHECK:         ttng.warp_group_dot
  tt.func public @stays(%pb: tensor<64x64x!tt.ptr<f16>, #row>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %half = arith.constant dense<0.5> : tensor<64x64xf16, #row>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = ttg.local_alloc %half : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    tt.store %pb, %half : tensor<64x64x!tt.ptr<f16>, #row>
    %a = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #row>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %c = ttng.warp_group_dot %x, %h, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
    %b = tt.load %pb {isVolatile = true} : tensor<64x64x!tt.ptr<f16>, #row>
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = ttng.warp_group_dot %x, %h, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      %v = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #row>
      %w = ttg.local_alloc %v : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
      %t = ttng.warp_group_dot %x, %w, %s {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %t : tensor<64x64xf32, #mma>
    }
    %d = ttng.warp_group_dot %x, %y, %l {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // A load moves over a store through another argument, which does not alias.
  // CHECK-LABEL: tt.func public @other_argument
  // CHECK:         %[[A:.*]] = tt.load %arg0
  // CHECK:         tt.store %arg1
  // CHECK:         ttg.local_alloc %[[A]]
  tt.func public @other_argument(%pa: tensor<64x64x!tt.ptr<f16>, #row>, %pb: tensor<64x64x!tt.ptr<f16>, #row>) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %half = arith.constant dense<0.5> : tensor<64x64xf16, #row>
    %h = ttg.local_alloc %half : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    tt.store %pb, %half : tensor<64x64x!tt.ptr<f16>, #row>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #row>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %c = ttng.warp_group_dot %x, %h, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
    tt.return %c : tensor<64x64xf32, #mma>
  }

  // A pipelined loop loads the scalar of its next iteration where it copies: it has the whole iteration, also over a store to other
  // memory, but not over one that may write the scalar.
  // CHECK-LABEL: tt.func public @next_scalar
  // CHECK:         scf.for
  // CHECK-NEXT:      tt.addptr
  // CHECK-NEXT:      tt.load %{{.*}} : !tt.ptr<f32>
  // CHECK:           ttng.warp_group_dot
  // CHECK:           tt.store
  // CHECK-NOT:       tt.load
  // CHECK:           scf.yield
  // CHECK:         scf.for
  // CHECK:           tt.store
  // CHECK:           tt.load %{{.*}} : !tt.ptr<f32>
  // CHECK:           scf.yield
  tt.func public @next_scalar(%r: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %half = arith.constant dense<0.5> : tensor<64x64xf16, #row>
    %first = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %h = ttg.local_alloc %half : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %rs = tt.splat %r : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %a = scf.for %i = %c0 to %n step %c1 iter_args(%g = %first) -> (f32) : i32 {
      %c = ttng.warp_group_dot %h, %h, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> tensor<64x64xf32, #mma>
      %gs = tt.splat %g : f32 -> tensor<64x64xf32, #mma>
      %d = arith.mulf %c, %gs : tensor<64x64xf32, #mma>
      tt.store %os, %d : tensor<64x64x!tt.ptr<f32>, #mma>
      %p = tt.addptr %r, %i : !tt.ptr<f32>, i32
      %next = tt.load %p : !tt.ptr<f32>
      scf.yield %next : f32
    }
    %b = scf.for %i = %c0 to %n step %c1 iter_args(%g = %a) -> (f32) : i32 {
      %gs = tt.splat %g : f32 -> tensor<64x64xf32, #mma>
      tt.store %rs, %gs : tensor<64x64x!tt.ptr<f32>, #mma>
      %p = tt.addptr %r, %i : !tt.ptr<f32>, i32
      %next = tt.load %p : !tt.ptr<f32>
      scf.yield %next : f32
    }
    tt.store %out, %b : !tt.ptr<f32>
    tt.return
  }
}
