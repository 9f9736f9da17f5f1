// A function argument or result has one layout: the one with the least conversion cost over all calls, weighted by
// execution frequency.
// RUN: nereid-opt %s --split-input-file --tritongpu-remove-layout-conversions | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-remove-layout-conversions --remarks-filter-passed=tritongpu-remove-layout-conversions --remarks-filter-missed=tritongpu-remove-layout-conversions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: :[[@LINE+26]]:3: remark: [Passed] boundary {{.*}}"argument 0 has the layout of all adjacent values"
// REMARK: :[[@LINE+25]]:3: remark: [Passed] boundary {{.*}}"result 1 has the layout of all adjacent values"
// REMARK: :[[@LINE+88]]:3: remark: [Missed] boundary {{.*}}"argument 0 has the layout of 80 % of the adjacent values, weighted by bytes and execution frequency; the rest may have to be converted"

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Through two calls, in arguments and results, the default layout disappears.
  // CHECK: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [4]
  // CHECK-LABEL: tt.func public @agree
  // CHECK-NOT: convert_layout
  // CHECK: tt.call @outer(%{{.*}}) : (tensor<512xf32, #[[WIDE]]>, i32) -> (i32, tensor<512xf32, #[[WIDE]]>)
  tt.func public @agree(%p: !tt.ptr<f32>, %n: i32) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
    %w = ttg.convert_layout %v : tensor<512xf32, #b> -> tensor<512xf32, #a>
    %m, %x = tt.call @outer(%w, %n) : (tensor<512xf32, #a>, i32) -> (i32, tensor<512xf32, #a>)
    %y = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tt.store %q, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
  // CHECK-LABEL: tt.func private @outer
  // CHECK-SAME: (%{{.*}}: tensor<512xf32, #[[WIDE]]>, %{{.*}}: i32) -> (i32, tensor<512xf32, #[[WIDE]]>)
  // CHECK: arith.addf %{{.*}} : tensor<512xf32, #[[WIDE]]>
  tt.func private @outer(%v: tensor<512xf32, #a>, %n: i32) -> (i32, tensor<512xf32, #a>) attributes {noinline = true} {
    %x = tt.call @inner(%v) : (tensor<512xf32, #a>) -> tensor<512xf32, #a>
    %y = arith.addf %x, %v : tensor<512xf32, #a>
    tt.return %n, %y : i32, tensor<512xf32, #a>
  }
  // CHECK-LABEL: tt.func private @inner
  // CHECK-SAME: (%{{.*}}: tensor<512xf32, #[[WIDE]]>) -> tensor<512xf32, #[[WIDE]]>
  tt.func private @inner(%v: tensor<512xf32, #a>) -> tensor<512xf32, #a> attributes {noinline = true} {
    %c = arith.constant dense<2.0> : tensor<512xf32, #a>
    %x = arith.mulf %v, %c : tensor<512xf32, #a>
    tt.return %x : tensor<512xf32, #a>
  }
  // Functions without callers keep the layouts of their types.
  // CHECK-LABEL: tt.func private @apart
  // CHECK-SAME: (%{{.*}}: tensor<512xf32, #[[A:.*]]>, %{{.*}}: tensor<512x!tt.ptr<f32>, #[[WIDE]]>) -> tensor<512xf32, #[[A]]>
  tt.func private @apart(%v: tensor<512xf32, #a>, %q: tensor<512x!tt.ptr<f32>, #b>) -> tensor<512xf32, #a> attributes {noinline = true} {
    %w = ttg.convert_layout %v : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tt.store %q, %w : tensor<512x!tt.ptr<f32>, #b>
    tt.return %v : tensor<512xf32, #a>
  }
}

// -----

// Two calls have values in #b, one in a loop in #c: it is executed more often than both.
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: #[[C:.*]] = #ttg.blocked<{sizePerThread = [2]
  // CHECK-LABEL: tt.func public @cold
  // CHECK: tt.load
  // CHECK: ttg.convert_layout
  // CHECK: tt.call @hot(%{{.*}}) : (tensor<512xf32, #[[C]]>) -> ()
  tt.func public @cold(%q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %v = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #b>
    %w = ttg.convert_layout %v : tensor<512xf32, #b> -> tensor<512xf32, #a>
    tt.call @hot(%w) : (tensor<512xf32, #a>) -> ()
    %v1 = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #b>
    %w1 = ttg.convert_layout %v1 : tensor<512xf32, #b> -> tensor<512xf32, #a>
    tt.call @hot(%w1) : (tensor<512xf32, #a>) -> ()
    tt.return
  }
  // CHECK-LABEL: tt.func public @often
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.call @hot(%{{.*}}) : (tensor<512xf32, #[[C]]>) -> ()
  tt.func public @often(%q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #c>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #c>
    %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #c>, tensor<512xi32, #c>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #c>
      %w = ttg.convert_layout %v : tensor<512xf32, #c> -> tensor<512xf32, #a>
      tt.call @hot(%w) : (tensor<512xf32, #a>) -> ()
    }
    tt.return
  }
  // CHECK-LABEL: tt.func private @hot
  // CHECK-SAME: (%{{.*}}: tensor<512xf32, #[[C]]>)
  tt.func private @hot(%v: tensor<512xf32, #a>) attributes {noinline = true} {
    tt.print " " {hex = false, isSigned = array<i32: 0>} : %v : tensor<512xf32, #a>
    tt.return
  }
}
