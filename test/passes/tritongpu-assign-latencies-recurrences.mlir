// Vectors and scalars of recurrences are loaded ahead although no dot depends on them and the loop does not request it: three iterations
// where cp.async can copy them, else one iteration, in registers.
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=2 | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=2 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-3: not pipelined: its loop does not request it: tt.num_stages is less than 2 or missing
// REMARK: not pipelined: the program itself loads it for the next iteration
// REMARK: not pipelined: its loop may write the memory that it reads
// REMARK-NOT: remark:

#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @matrix
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<bf16>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : tensor<32x!tt.ptr<bf16>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : !tt.ptr<f32>
  tt.func public @matrix(%p: tensor<64x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %strided: tensor<32x!tt.ptr<bf16>, #columns>, %scale: !tt.ptr<f32>, %n: i32) -> tensor<64x32xf32, #m> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %k = tt.load %p : tensor<64x!tt.ptr<bf16>, #rows>
      %v = tt.load %strided : tensor<32x!tt.ptr<bf16>, #columns>
      %g = tt.load %scale : !tt.ptr<f32>
      %ke = tt.expand_dims %k {axis = 1 : i32} : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #m>
      %ve = tt.expand_dims %v {axis = 0 : i32} : tensor<32xbf16, #columns> -> tensor<1x32xbf16, #m>
      %kb = tt.broadcast %ke : tensor<64x1xbf16, #m> -> tensor<64x32xbf16, #m>
      %vb = tt.broadcast %ve : tensor<1x32xbf16, #m> -> tensor<64x32xbf16, #m>
      %kv = arith.mulf %kb, %vb : tensor<64x32xbf16, #m>
      %kvf = arith.extf %kv : tensor<64x32xbf16, #m> to tensor<64x32xf32, #m>
      %gs = tt.splat %g : f32 -> tensor<64x32xf32, #m>
      %scaled = arith.mulf %h, %gs : tensor<64x32xf32, #m>
      %x = arith.addf %scaled, %kvf : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return %r : tensor<64x32xf32, #m>
  }

  // A loop that carries a vector is a recurrence if it stores something.
  // CHECK-LABEL: @vector
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 3 : i32} : tensor<128x!tt.ptr<bf16>
  tt.func public @vector(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      tt.store %q, %x : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<128xbf16, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @two_stages
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : tensor<128x!tt.ptr<bf16>
  tt.func public @two_stages(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      tt.store %q, %x : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<128xbf16, #each>
    } {tt.num_stages = 2 : i32}
    tt.return
  }

  // CHECK-LABEL: @one_stage
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x!tt.ptr<bf16>
  tt.func public @one_stage(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      tt.store %q, %x : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<128xbf16, #each>
    } {tt.num_stages = 1 : i32}
    tt.return
  }

  // CHECK-LABEL: @only_sums
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x!tt.ptr<bf16>
  tt.func public @only_sums(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      scf.yield %x : tensor<128xbf16, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @integers
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x!tt.ptr<i16>
  tt.func public @integers(%p: tensor<128x!tt.ptr<i16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<i16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<128xi16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xi16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<i16>, #each>
      %x = arith.addi %h, %k : tensor<128xi16, #each>
      tt.store %q, %x : tensor<128x!tt.ptr<i16>, #each>
      scf.yield %x : tensor<128xi16, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @only_carried
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x!tt.ptr<bf16>
  tt.func public @only_carried(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      tt.store %q, %h : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %k : tensor<128xbf16, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @written
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x!tt.ptr<bf16>
  tt.func public @written(%p: tensor<128x!tt.ptr<bf16>, #each> {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}, %q: tensor<128x!tt.ptr<bf16>, #each>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %k = tt.load %p : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      tt.store %p, %x : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<128xbf16, #each>
    }
    tt.return
  }
}
