// The vectors of a recurrence are copied with 16 bytes per thread if several threads hold each element, or a thread holds less
// than the 4 adjacent bytes that cp.async copies. Other vectors, and those of other loops, are copied in their own encoding.
// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[EIGHT:.*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[EACH:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[PAIRS:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[M:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#m = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #m}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @matrix
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<64x!tt.ptr<bf16>, #[[EIGHT]]>
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<32x!tt.ptr<f32>, #[[FOUR]]>
  tt.func public @matrix(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x32xf32, #m> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %row = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #rows>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #columns>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %rowat = tt.splat %at : i32 -> tensor<64xi32, #rows>
      %columnat = tt.splat %at : i32 -> tensor<32xi32, #columns>
      %rows = arith.addi %rowat, %row : tensor<64xi32, #rows>
      %columns = arith.addi %columnat, %column : tensor<32xi32, #columns>
      %pp = tt.addptr %ps, %rows : tensor<64x!tt.ptr<bf16>, #rows>, tensor<64xi32, #rows>
      %qq = tt.addptr %qs, %columns : tensor<32x!tt.ptr<f32>, #columns>, tensor<32xi32, #columns>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<64x!tt.ptr<bf16>, #rows>
      %v = tt.load %qq {tt.latency = 2 : i32} : tensor<32x!tt.ptr<f32>, #columns>
      %ke = tt.expand_dims %k {axis = 1 : i32} : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #m>
      %ve = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #columns> -> tensor<1x32xf32, #m>
      %kf = arith.extf %ke : tensor<64x1xbf16, #m> to tensor<64x1xf32, #m>
      %kb = tt.broadcast %kf : tensor<64x1xf32, #m> -> tensor<64x32xf32, #m>
      %vb = tt.broadcast %ve : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %kv = arith.mulf %kb, %vb : tensor<64x32xf32, #m>
      %x = arith.addf %h, %kv : tensor<64x32xf32, #m>
      %o = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #m>) -> tensor<32xf32, #columns>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return %r : tensor<64x32xf32, #m>
  }

  // CHECK-LABEL: @no_recurrence
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 1, parent = #[[M]]}>>
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[M]]}>>
  tt.func public @no_recurrence(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x32xf32, #m> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #m>
    %row = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %column = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #rows>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #columns>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #m>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %rowat = tt.splat %at : i32 -> tensor<64xi32, #rows>
      %columnat = tt.splat %at : i32 -> tensor<32xi32, #columns>
      %rows = arith.addi %rowat, %row : tensor<64xi32, #rows>
      %columns = arith.addi %columnat, %column : tensor<32xi32, #columns>
      %pp = tt.addptr %ps, %rows : tensor<64x!tt.ptr<bf16>, #rows>, tensor<64xi32, #rows>
      %qq = tt.addptr %qs, %columns : tensor<32x!tt.ptr<f32>, #columns>, tensor<32xi32, #columns>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<64x!tt.ptr<bf16>, #rows>
      %v = tt.load %qq {tt.latency = 2 : i32} : tensor<32x!tt.ptr<f32>, #columns>
      %ke = tt.expand_dims %k {axis = 1 : i32} : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #m>
      %ve = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32, #columns> -> tensor<1x32xf32, #m>
      %kf = arith.extf %ke : tensor<64x1xbf16, #m> to tensor<64x1xf32, #m>
      %kb = tt.broadcast %kf : tensor<64x1xf32, #m> -> tensor<64x32xf32, #m>
      %vb = tt.broadcast %ve : tensor<1x32xf32, #m> -> tensor<64x32xf32, #m>
      %kv = arith.mulf %kb, %vb : tensor<64x32xf32, #m>
      %x = arith.addf %h, %kv : tensor<64x32xf32, #m>
      scf.yield %x : tensor<64x32xf32, #m>
    }
    tt.return %r : tensor<64x32xf32, #m>
  }

  // CHECK-LABEL: @two_bytes
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<128x!tt.ptr<bf16>, #[[EIGHT]]>
  tt.func public @two_bytes(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<bf16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128xbf16, #each>
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #each>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #each>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xbf16, #each>) : i32 {
      %at = arith.muli %i, %c128 : i32
      %ats = tt.splat %at : i32 -> tensor<128xi32, #each>
      %offsets = arith.addi %ats, %range : tensor<128xi32, #each>
      %pp = tt.addptr %ps, %offsets : tensor<128x!tt.ptr<bf16>, #each>, tensor<128xi32, #each>
      %qq = tt.addptr %qs, %offsets : tensor<128x!tt.ptr<bf16>, #each>, tensor<128xi32, #each>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<128x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<128xbf16, #each>
      tt.store %qq, %x : tensor<128x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<128xbf16, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @four_bytes
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<128x!tt.ptr<f32>, #[[EACH]]>
  tt.func public @four_bytes(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128xf32, #each>
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #each>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #each>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<128xf32, #each>) : i32 {
      %at = arith.muli %i, %c128 : i32
      %ats = tt.splat %at : i32 -> tensor<128xi32, #each>
      %offsets = arith.addi %ats, %range : tensor<128xi32, #each>
      %pp = tt.addptr %ps, %offsets : tensor<128x!tt.ptr<f32>, #each>, tensor<128xi32, #each>
      %qq = tt.addptr %qs, %offsets : tensor<128x!tt.ptr<f32>, #each>, tensor<128xi32, #each>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<128x!tt.ptr<f32>, #each>
      %x = arith.addf %h, %k : tensor<128xf32, #each>
      tt.store %qq, %x : tensor<128x!tt.ptr<f32>, #each>
      scf.yield %x : tensor<128xf32, #each>
    }
    tt.return
  }

  // CHECK-LABEL: @two_elements
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<256x!tt.ptr<bf16>, #[[PAIRS]]>
  tt.func public @two_elements(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<bf16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<256xbf16, #pairs>
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #pairs>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #pairs>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #pairs>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<256xbf16, #pairs>) : i32 {
      %at = arith.muli %i, %c256 : i32
      %ats = tt.splat %at : i32 -> tensor<256xi32, #pairs>
      %offsets = arith.addi %ats, %range : tensor<256xi32, #pairs>
      %pp = tt.addptr %ps, %offsets : tensor<256x!tt.ptr<bf16>, #pairs>, tensor<256xi32, #pairs>
      %qq = tt.addptr %qs, %offsets : tensor<256x!tt.ptr<bf16>, #pairs>, tensor<256xi32, #pairs>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<256x!tt.ptr<bf16>, #pairs>
      %x = arith.addf %h, %k : tensor<256xbf16, #pairs>
      tt.store %qq, %x : tensor<256x!tt.ptr<bf16>, #pairs>
      scf.yield %x : tensor<256xbf16, #pairs>
    }
    tt.return
  }

  // Two elements that are not adjacent.
  // CHECK-LABEL: @two_apart
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<256x!tt.ptr<bf16>, #[[EIGHT]]>
  tt.func public @two_apart(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<bf16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<256xbf16, #each>
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #each>
    %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #each>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #each>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<256xbf16, #each>) : i32 {
      %at = arith.muli %i, %c256 : i32
      %ats = tt.splat %at : i32 -> tensor<256xi32, #each>
      %offsets = arith.addi %ats, %range : tensor<256xi32, #each>
      %pp = tt.addptr %ps, %offsets : tensor<256x!tt.ptr<bf16>, #each>, tensor<256xi32, #each>
      %qq = tt.addptr %qs, %offsets : tensor<256x!tt.ptr<bf16>, #each>, tensor<256xi32, #each>
      %k = tt.load %pp {tt.latency = 2 : i32} : tensor<256x!tt.ptr<bf16>, #each>
      %x = arith.addf %h, %k : tensor<256xbf16, #each>
      tt.store %qq, %x : tensor<256x!tt.ptr<bf16>, #each>
      scf.yield %x : tensor<256xbf16, #each>
    }
    tt.return
  }
}
