// RUN: nereid-opt %s --tritongpu-remove-layout-conversions=mma-only=1 | FileCheck %s
// A conversion that only one branch uses moves into it, and below the ops of the branch that take its operand's layout.

#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // One loop over all steps of several tiles: a branch stores the tile and clears the accumulator, which the loop carries in
  // the layout of the dot. f16 is converted, not f32.
  // CHECK-LABEL: @tiles
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: convert_layout
  // CHECK: scf.if
  // CHECK: arith.truncf {{.*}} #mma> to tensor<64x64xf16, #mma>
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #blocked>
  // CHECK-NEXT: tt.store
  // CHECK-NOT: convert_layout
  // CHECK: tt.return
  tt.func public @tiles(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %o: tensor<64x64x!tt.ptr<f16>, #tile>, %n: i32, %steps: i32) {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #tile>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #tile>) : i32 {
      %c = ttg.convert_layout %acc : tensor<64x64xf32, #tile> -> tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #tile>
      %k = arith.remsi %i, %steps : i32
      %last = arith.cmpi eq, %k, %c1 : i32
      %next = scf.if %last -> (tensor<64x64xf32, #tile>) {
        %h = arith.truncf %e : tensor<64x64xf32, #tile> to tensor<64x64xf16, #tile>
        tt.store %o, %h : tensor<64x64x!tt.ptr<f16>, #tile>
        scf.yield %zero : tensor<64x64xf32, #tile>
      } else {
        scf.yield %e : tensor<64x64xf32, #tile>
      }
      scf.yield %next : tensor<64x64xf32, #tile>
    }
    tt.return
  }

  // The inner branch of two has all uses.
  // CHECK-LABEL: @nested
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: scf.if
  // CHECK: ttg.convert_layout
  // CHECK: tt.store
  tt.func public @nested(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %o: tensor<64x64x!tt.ptr<f32>, #tile>, %p: i1, %q: i1) {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #tile>
    scf.if %p {
      scf.if %q {
        tt.store %o, %e : tensor<64x64x!tt.ptr<f32>, #tile>
      }
    }
    tt.return
  }

  // Both branches use the result: it is converted once, before them.
  // CHECK-LABEL: @both
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: scf.if
  // CHECK-NOT: convert_layout
  // CHECK: tt.return
  tt.func public @both(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %o: tensor<64x64x!tt.ptr<f32>, #tile>, %u: tensor<64x64x!tt.ptr<f32>, #tile>, %p: i1) {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #tile>
    scf.if %p {
      tt.store %o, %e : tensor<64x64x!tt.ptr<f32>, #tile>
    } else {
      tt.store %u, %e : tensor<64x64x!tt.ptr<f32>, #tile>
    }
    tt.return
  }
}
