// RUN: nereid-opt %s --tritongpu-remove-layout-conversions | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Layout-agnostic values are computed in the layout of the memory access.
  // CHECK-DAG: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [4]
  // CHECK-LABEL: tt.func public @follows
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[WIDE]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: arith.addf {{.*}} : tensor<512xf32, #[[WIDE]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<512x!tt.ptr<f32>, #[[WIDE]]>
  tt.func public @follows(%p: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %w = ttg.convert_layout %q : tensor<512x!tt.ptr<f32>, #a> -> tensor<512x!tt.ptr<f32>, #b>
    %v = tt.load %w : tensor<512x!tt.ptr<f32>, #b>
    %x = ttg.convert_layout %v : tensor<512xf32, #b> -> tensor<512xf32, #a>
    %y = arith.addf %x, %x : tensor<512xf32, #a>
    %z = ttg.convert_layout %y : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tt.store %w, %z : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A transposition between load and store needs its one conversion: loads are not repeated.
  // CHECK-LABEL: tt.func public @needed
  // CHECK-COUNT-1: tt.load
  // CHECK-COUNT-1: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  tt.func public @needed(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %w = ttg.convert_layout %v : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }
}

// -----

// Loop-carried pointers start in the layout of the load: broadcasts before the loop are duplicated, and no conversion
// remains in the loop.
// CHECK-LABEL: @carried_pointers
// CHECK: scf.for
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield
#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @carried_pointers(%p: tensor<128x1x!tt.ptr<f16>, #default>, %c: tensor<1x64xi32, #default>, %n: i32, %s: tensor<128x64xf16, #wide>, %o: tensor<128x64x!tt.ptr<f16>, #wide>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<64> : tensor<128x64xi32, #default>
    %a = tt.broadcast %p : tensor<128x1x!tt.ptr<f16>, #default> -> tensor<128x64x!tt.ptr<f16>, #default>
    %b = tt.broadcast %c : tensor<1x64xi32, #default> -> tensor<128x64xi32, #default>
    %q = tt.addptr %a, %b : tensor<128x64x!tt.ptr<f16>, #default>, tensor<128x64xi32, #default>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %q, %t = %s) -> (tensor<128x64x!tt.ptr<f16>, #default>, tensor<128x64xf16, #wide>) : i32 {
      %w = ttg.convert_layout %at : tensor<128x64x!tt.ptr<f16>, #default> -> tensor<128x64x!tt.ptr<f16>, #wide>
      %x = tt.load %w : tensor<128x64x!tt.ptr<f16>, #wide>
      %u = arith.addf %t, %x : tensor<128x64xf16, #wide>
      %next = tt.addptr %at, %step : tensor<128x64x!tt.ptr<f16>, #default>, tensor<128x64xi32, #default>
      scf.yield %next, %u : tensor<128x64x!tt.ptr<f16>, #default>, tensor<128x64xf16, #wide>
    }
    tt.store %o, %r#1 : tensor<128x64x!tt.ptr<f16>, #wide>
    tt.return
  }
}

// -----

// An operand of a dot is loaded once, in the coalesced layout: in the dot's layout, threads would load each element many
// times.
// CHECK-LABEL: @operand
// CHECK: %[[X:.*]] = tt.load %{{.*}} : tensor<64x128x!tt.ptr<f32>, #blocked{{[0-9]*}}>
// CHECK: ttg.convert_layout %[[X]] {{.*}} -> tensor<64x128xf32, #ttg.dot_op
#line = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#square = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #line}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @operand(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #square}>>, %c: tensor<128x128xf32, #square>) -> tensor<128x128xf32, #square> {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32, #row> -> tensor<1x128xi32, #line>
    %i = tt.broadcast %e : tensor<1x128xi32, #line> -> tensor<64x128xi32, #line>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>, #line>
    %q = tt.addptr %s, %i : tensor<64x128x!tt.ptr<f32>, #line>, tensor<64x128xi32, #line>
    %x = tt.load %q : tensor<64x128x!tt.ptr<f32>, #line>
    %b = ttg.convert_layout %x : tensor<64x128xf32, #line> -> tensor<64x128xf32, #ttg.dot_op<{opIdx = 1, parent = #square}>>
    %d = tt.dot %a, %b, %c : tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #square}>> * tensor<64x128xf32, #ttg.dot_op<{opIdx = 1, parent = #square}>> -> tensor<128x128xf32, #square>
    tt.return %d : tensor<128x128xf32, #square>
  }
}

// -----

// A load in another layout would access more sectors, so the loaded tensor is converted, but before its broadcast to
// rows: 64 elements instead of 8192.
// CHECK-LABEL: @spread_after
// CHECK: %[[X:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked{{[0-9]*}}>
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[X]] {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[L:.*]]}>>
// CHECK-NEXT: %[[E:.*]] = tt.expand_dims %[[C]]
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] {{.*}} -> tensor<64x128xf32, #[[L]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store %{{.*}}, %[[B]]
#spread_line = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#spread_column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#spread_single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @spread_after(%p: tensor<64x!tt.ptr<f32>, #spread_single>, %q: tensor<64x128x!tt.ptr<f32>, #spread_line>) {
    %x = tt.load %p : tensor<64x!tt.ptr<f32>, #spread_single>
    %c = ttg.convert_layout %x : tensor<64xf32, #spread_single> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #spread_column}>>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #spread_column}>> -> tensor<64x1xf32, #spread_column>
    %b = tt.broadcast %e : tensor<64x1xf32, #spread_column> -> tensor<64x128xf32, #spread_column>
    %l = ttg.convert_layout %b : tensor<64x128xf32, #spread_column> -> tensor<64x128xf32, #spread_line>
    tt.store %q, %l : tensor<64x128x!tt.ptr<f32>, #spread_line>
    tt.return
  }
}

// -----

// Expensive values are not recomputed in replicas: the sum is converted, with two elements per thread, then broadcast; an
// f16 is converted before its extension. A load of a single cache line is repeated.
// CHECK-LABEL: @cut
// CHECK: %[[LOG:.*]] = math.log
// CHECK-NEXT: ttg.convert_layout %[[LOG]] {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[L:.*]]}>>
// CHECK: %[[HALF:.*]] = tt.load %{{.*}} : tensor<128x!tt.ptr<f16>
// CHECK-NEXT: ttg.convert_layout %[[HALF]] {{.*}} -> tensor<128xf16, #ttg.slice<{dim = 0, parent = #[[L]]}>>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
// CHECK-LABEL: @line
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<f32>, #ttg.slice
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
#cut_line = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#cut_column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#cut_single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cut(%p: tensor<64x!tt.ptr<f32>, #cut_single>, %h: !tt.ptr<f16>, %q: tensor<64x128x!tt.ptr<f32>, #cut_line>) {
    %x = tt.load %p : tensor<64x!tt.ptr<f32>, #cut_single>
    %y = math.exp %x : tensor<64xf32, #cut_single>
    %z = math.log %y : tensor<64xf32, #cut_single>
    %c = ttg.convert_layout %z : tensor<64xf32, #cut_single> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #cut_column}>>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #cut_column}>> -> tensor<64x1xf32, #cut_column>
    %b = tt.broadcast %e : tensor<64x1xf32, #cut_column> -> tensor<64x128xf32, #cut_column>
    %l = ttg.convert_layout %b : tensor<64x128xf32, #cut_column> -> tensor<64x128xf32, #cut_line>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #cut_single>
    %s = tt.splat %h : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #cut_single>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f16>, #cut_single>, tensor<128xi32, #cut_single>
    %hx = tt.load %a {isVolatile = true} : tensor<128x!tt.ptr<f16>, #cut_single>
    %hw = arith.extf %hx : tensor<128xf16, #cut_single> to tensor<128xf32, #cut_single>
    %hc = ttg.convert_layout %hw : tensor<128xf32, #cut_single> -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #cut_line}>>
    %he = tt.expand_dims %hc {axis = 0 : i32} : tensor<128xf32, #ttg.slice<{dim = 0, parent = #cut_line}>> -> tensor<1x128xf32, #cut_line>
    %hl = tt.broadcast %he : tensor<1x128xf32, #cut_line> -> tensor<64x128xf32, #cut_line>
    %sum = arith.addf %l, %hl : tensor<64x128xf32, #cut_line>
    tt.store %q, %sum : tensor<64x128x!tt.ptr<f32>, #cut_line>
    tt.return
  }
  tt.func public @line(%p: !tt.ptr<f32>, %q: tensor<8x128x!tt.ptr<f32>, #cut_line>) {
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #cut_single>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #cut_single>
    %a = tt.addptr %s, %r : tensor<8x!tt.ptr<f32>, #cut_single>, tensor<8xi32, #cut_single>
    %x = tt.load %a : tensor<8x!tt.ptr<f32>, #cut_single>
    %c = ttg.convert_layout %x : tensor<8xf32, #cut_single> -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #cut_column}>>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<8xf32, #ttg.slice<{dim = 1, parent = #cut_column}>> -> tensor<8x1xf32, #cut_column>
    %b = tt.broadcast %e : tensor<8x1xf32, #cut_column> -> tensor<8x128xf32, #cut_column>
    %l = ttg.convert_layout %b : tensor<8x128xf32, #cut_column> -> tensor<8x128xf32, #cut_line>
    tt.store %q, %l : tensor<8x128x!tt.ptr<f32>, #cut_line>
    tt.return
  }
}

// -----

// Element indices are always recomputed: loads depend on them and must not wait for other warps.
// CHECK-LABEL: @numbers
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#numbers_row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#numbers_wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @numbers(%q: tensor<1x64x!tt.ptr<i32>, #numbers_wide>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #numbers_row}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #numbers_row}>> -> tensor<1x64xi32, #numbers_row>
    %s = arith.constant dense<7> : tensor<1x64xi32, #numbers_row>
    %d = arith.divsi %e, %s : tensor<1x64xi32, #numbers_row>
    %m = arith.remsi %d, %s : tensor<1x64xi32, #numbers_row>
    %c = ttg.convert_layout %m : tensor<1x64xi32, #numbers_row> -> tensor<1x64xi32, #numbers_wide>
    tt.store %q, %c : tensor<1x64x!tt.ptr<i32>, #numbers_wide>
    tt.return
  }
}
