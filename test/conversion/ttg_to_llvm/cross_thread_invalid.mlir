// Unsupported forms of histogram, gather, join, split, cat and map_elementwise.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @between_ctas(%x: tensor<256xf32, #line>, %i: tensor<256xi32, #line>) {
  // expected-error @below {{reads elements of several CTAs of a cluster, which is not supported}}
  %y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<256xf32, #line>, tensor<256xi32, #line>) -> tensor<256xf32, #line>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @between_ctas(%i: tensor<256xi32, #line>) {
  // expected-error @below {{counts elements of several CTAs of a cluster, which is not supported}}
  %y = tt.histogram %i {allocation.offset = 0 : i32} : tensor<256xi32, #line> -> tensor<256xi32, #line>
  tt.return
}
}

// -----

#half = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @cat(%x: tensor<128xf32, #half>) {
  // expected-error @below {{has a result whose threads do not hold twice what they hold of each operand}}
  %z = tt.cat %x, %x : tensor<128xf32, #half> -> tensor<256xf32, #four>
  tt.return
}
}

// -----

// The same bits replicate elements, but in other lanes.
#pairs = #ttg.linear<{register = [], lane = [[1], [0], [0], [0], [0]], warp = [], block = []}>
#sums = #ttg.linear<{register = [[2]], lane = [[1], [1], [0], [0], [0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @cat_replicas(%x: tensor<2xf32, #pairs>) {
  // expected-error @below {{has a result whose threads do not hold twice what they hold of each operand}}
  %z = tt.cat %x, %x : tensor<2xf32, #pairs> -> tensor<4xf32, #sums>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @map(%x: tensor<256xi32, #line>) {
  // expected-error @below {{takes 4 consecutive elements at a time, its threads hold 2: expected as many}}
  %y = "tt.map_elementwise"(%x) <{pack = 4 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tt.map_elementwise.return %a, %b, %c, %d : i32, i32, i32, i32
  }) : (tensor<256xi32, #line>) -> tensor<256xi32, #line>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @endless(%x: tensor<256xi32, #line>) {
  // expected-error @below {{has a region that never ends: expected a path to its terminator}}
  %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    cf.br ^bb1
  ^bb1:
    cf.br ^bb1
  ^bb2:
    tt.map_elementwise.return %a : i32
  }) : (tensor<256xi32, #line>) -> tensor<256xi32, #line>
  tt.return
}
}
