// nereid-hoist-loads: where registers are short, large values are copied to shared memory, from which they are loaded before their
// first use. Through registers, the assembler would load each piece where it is used.
// RUN: nereid-opt --nereid-hoist-loads %s | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// 128 registers per thread, and 128 of the value that is live meanwhile. The second copy begins when the memory of the first one, with
// which it would leave a multiprocessor one CTA, has been read.
// CHECK-LABEL: @large
// CHECK-NOT: tt.load
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x128xf32
// CHECK-NEXT: ttg.async_copy_global_to_local %{{.*}}, %[[A]]
// CHECK-NEXT: ttg.async_commit_group
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: %[[X:.*]] = ttg.local_load %[[A]]
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %[[X]]
// CHECK-NEXT: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x128xf32
// CHECK-NEXT: ttg.async_copy_global_to_local %{{.*}}, %[[B]]
// CHECK-NEXT: ttg.async_commit_group
// CHECK-NEXT: "tt.reduce"
// CHECK: arith.subf
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: %[[Y:.*]] = ttg.local_load %[[B]]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[Y]]
tt.func public @large(%pa: tensor<128x128x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %pb: tensor<128x128x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %m: tensor<128x128xi1, #row>, %x: tensor<128x128xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>> {
  %a = tt.load %pa : tensor<128x128x!tt.ptr<f32>, #row>
  %s = arith.select %m, %x, %a : tensor<128x128xi1, #row>, tensor<128x128xf32, #row>
  %z = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %v = arith.maxnumf %l, %r : f32
    tt.reduce.return %v : f32
  }) : (tensor<128x128xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>>
  %row = tt.expand_dims %z {axis = 0 : i32} : tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x128xf32, #row>
  %rows = tt.broadcast %row : tensor<1x128xf32, #row> -> tensor<128x128xf32, #row>
  %d = arith.subf %s, %rows : tensor<128x128xf32, #row>
  %b = tt.load %pb : tensor<128x128x!tt.ptr<f32>, #row>
  %e = arith.mulf %d, %b : tensor<128x128xf32, #row>
  %y = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %v = arith.addf %l, %r : f32
    tt.reduce.return %v : f32
  }) : (tensor<128x128xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>>
  tt.return %y : tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>>
}

// 32 registers of a value fit.
// CHECK-LABEL: @small
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @small(%pa: tensor<64x64x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %pb: tensor<64x64x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %m: tensor<64x64xi1, #row>, %x: tensor<64x64xf32, #row>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #row}>> {
  %a = tt.load %pa : tensor<64x64x!tt.ptr<f32>, #row>
  %s = arith.select %m, %x, %a : tensor<64x64xi1, #row>, tensor<64x64xf32, #row>
  %z = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %v = arith.maxnumf %l, %r : f32
    tt.reduce.return %v : f32
  }) : (tensor<64x64xf32, #row>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #row}>>
  %row = tt.expand_dims %z {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xf32, #row>
  %rows = tt.broadcast %row : tensor<1x64xf32, #row> -> tensor<64x64xf32, #row>
  %d = arith.subf %s, %rows : tensor<64x64xf32, #row>
  %b = tt.load %pb : tensor<64x64x!tt.ptr<f32>, #row>
  %e = arith.mulf %d, %b : tensor<64x64xf32, #row>
  %y = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %v = arith.addf %l, %r : f32
    tt.reduce.return %v : f32
  }) : (tensor<64x64xf32, #row>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #row}>>
  tt.return %y : tensor<64xf32, #ttg.slice<{dim = 0, parent = #row}>>
}

// Two large values before the same reduction: their loads are in flight together.
// CHECK-LABEL: @two
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @two(%pa: tensor<128x128x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %pb: tensor<128x128x!tt.ptr<f32>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %x: tensor<128x128xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>> {
  %a = tt.load %pa : tensor<128x128x!tt.ptr<f32>, #row>
  %b = tt.load %pb : tensor<128x128x!tt.ptr<f32>, #row>
  %c = arith.mulf %a, %x : tensor<128x128xf32, #row>
  %d = arith.addf %b, %c : tensor<128x128xf32, #row>
  %z = "tt.reduce"(%d) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %v = arith.addf %l, %r : f32
    tt.reduce.return %v : f32
  }) : (tensor<128x128xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>>
  tt.return %z : tensor<128xf32, #ttg.slice<{dim = 0, parent = #row}>>
}
}
