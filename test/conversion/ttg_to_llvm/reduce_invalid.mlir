// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @between_ctas(%x: tensor<256xf32, #line>) {
  // expected-error @below {{combines elements of several CTAs of a cluster, which is not supported}}
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32, #line>) -> f32
  tt.return
}
}
