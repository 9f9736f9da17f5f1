// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @between_ctas(%x: tensor<256xf32, #line>) {
  // expected-error @below {{scans elements of several CTAs of a cluster, which is not supported}}
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<256xf32, #line>) -> tensor<256xf32, #line>
  tt.return
}
}

// -----

// Warps 4 .. 7 replicate the elements of 0 .. 3, with exchanged lanes.
#twice = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [16]], block = []}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @copies(%x: tensor<128xf32, #twice>) {
  // expected-error @below {{has a layout in which a bit of an index is moved by more than one bit of registers, lanes or warps; run nereid-regular-scans first}}
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<128xf32, #twice>) -> tensor<128xf32, #twice>
  tt.return
}
}
