// Result encodings that differ from the inferred one: the diagnostic prints the inferred encoding.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#f = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @elementwise(%p: tensor<128x!tt.ptr<f32>, #e>, %i: tensor<128xi32, #f>) {
    // expected-error @+1 {{'tt.addptr' op expects all operands and results to have one encoding, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>, got #ttg.blocked<{sizePerThread = [2]}}
    %0 = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>, #e>, tensor<128xi32, #f>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#f = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @store(%p: tensor<128x!tt.ptr<f32>, #e>, %x: tensor<128xf32, #f>) {
    // expected-error @+1 {{'tt.store' op failed to verify that value has the pointee type of ptr}}
    "tt.store"(%p, %x) : (tensor<128x!tt.ptr<f32>, #e>, tensor<128xf32, #f>) -> ()
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reduce(%x: tensor<128x128xf32, #e>) {
    // expected-error @+1 {{'tt.reduce' op expects result #0 to be tensor<128xf32, #ttg.slice<{dim = 0, parent = #ttg.blocked<}}
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      tt.reduce.return %a : f32
    }) : (tensor<128x128xf32, #e>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #e}>>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @trans(%x: tensor<128x128xf32, #e>) {
    // expected-error @+1 {{'tt.trans' op expects result #0 to be tensor<128x128xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>>, got tensor<128x128xf32, #ttg.blocked<}}
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x128xf32, #e> -> tensor<128x128xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reshape(%x: tensor<128x128xf32, #e>) {
    // expected-error @+1 {{'tt.reshape' op expects operand and result to have encodings both or neither}}
    %0 = tt.reshape %x : tensor<128x128xf32, #e> -> tensor<16384xf32>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#f = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reshape_layout(%x: tensor<128x128xf32, #e>) {
    // expected-error @+1 {{'tt.reshape' op expects every element to stay in its thread, that is, encoding}}
    %0 = tt.reshape %x : tensor<128x128xf32, #e> -> tensor<16384xf32, #f>
    tt.return
  }
}

// -----

// Lane 1 would move along both dimensions of the result.
#e = #ttg.generic_linear<{register = [], lane = [[1], [6], [4], [8], [16]], warp = [[32], [64]], block = []}>
#f = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reshape(%x: tensor<128xf32, #e>) {
    // expected-error @+1 {{a bit of the result's layout moves along several dimensions, which no encoding of registers represents; convert the operand's layout first}}
    %0 = tt.reshape %x : tensor<128xf32, #e> -> tensor<32x4xf32, #f>
    tt.return
  }
}
