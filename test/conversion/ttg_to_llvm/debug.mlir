// Prints and asserts call functions of the CUDA runtime.
// RUN: nereid-opt %s --split-input-file --convert-triton-gpu-to-llvm | FileCheck %s

#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-DAG: constant @[[PRINT:.*]]("pid (%u, %u, %u) idx (%3u) 100%% x: %d\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx ()plain\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx (%1u, %3u) %u
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx () (operand 0) %f\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx () (operand 1) %llu\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx () 0x%08x\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx () 0x%016llx\0A\00")
// CHECK-DAG: constant @{{.*}}("pid (%u, %u, %u) idx () %p\0A\00")
// CHECK-DAG: constant @[[MESSAGE:.*]]("out of range\00")
// CHECK-DAG: constant @[[FILE:.*]]("kernel.py\00")
// CHECK-DAG: constant @[[NAME:.*]]("asserts\00")

// Each element is printed once: both registers of every thread.
// CHECK-LABEL: llvm.func internal @tensor(
// CHECK: %[[SLOTS:.*]] = llvm.alloca
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.store %{{.*}}, %[[SLOTS]] : i32
// CHECK: llvm.mlir.addressof @[[PRINT]]
// CHECK: llvm.call @vprintf(%{{.*}}, %[[SLOTS]])
// CHECK: llvm.mlir.addressof @[[PRINT]]
// CHECK: llvm.call @vprintf(%{{.*}}, %[[SLOTS]])
// CHECK-NOT: llvm.call @vprintf
// CHECK: llvm.return
tt.func private @tensor(%x: tensor<256xi8, #v2>) {
  tt.print " 100% x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<256xi8, #v2>
  tt.return
}

// Scalars by the first thread; floats as double, 64-bit integers aligned to 8.
// CHECK-LABEL: llvm.func internal @scalars(
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %0,
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: llvm.fpext %arg0 : f16 to f64
// CHECK: llvm.getelementptr %{{.*}}[16]
// CHECK: llvm.call @vprintf
tt.func private @scalars(%h: f16, %u: i64, %f: f32, %d: f64, %p: !tt.ptr<f32>) {
  tt.print " " {hex = false, isSigned = array<i32: 1, 0>} : %h, %u : f16, i64
  tt.print " " {hex = true, isSigned = array<i32: 1>} : %f : f32
  tt.print " " {hex = true, isSigned = array<i32: 1>} : %d : f64
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %p : !tt.ptr<f32>
  tt.print "plain" {hex = false, isSigned = array<i32>}
  tt.return
}

// An fp8 is printed as a number, with `hex` as its bits.
// CHECK-LABEL: llvm.func internal @fp8(
// CHECK: llvm.nvvm.e5m2x2.to.f16x2.rn
// CHECK: llvm.fpext %{{.*}} : f16 to f64
// CHECK: llvm.call @vprintf
// CHECK: llvm.zext %arg0 : i8 to i32
// CHECK: llvm.call @vprintf
tt.func private @fp8(%x: f8E5M2) {
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : f8E5M2
  tt.print " " {hex = true, isSigned = array<i32: 0>} : %x : f8E5M2
  tt.return
}

// CHECK-LABEL: llvm.func internal @copies(
// CHECK: llvm.cond_br
tt.func private @copies(%x: tensor<2x128xi1, #two>) {
  tt.print " " {hex = false, isSigned = array<i32: 0>} : %x : tensor<2x128xi1, #two>
  tt.return
}

// CHECK-LABEL: llvm.func internal @asserts(
// CHECK: %[[ALL:.*]] = llvm.and %arg0, %arg1
// CHECK: %[[FAILS:.*]] = llvm.xor %[[ALL]]
// CHECK: llvm.cond_br %[[FAILS]]
// CHECK: llvm.mlir.addressof @[[MESSAGE]]
// CHECK: llvm.mlir.addressof @[[FILE]]
// CHECK: llvm.mlir.addressof @[[NAME]]
// CHECK: llvm.call @__assertfail
// CHECK-NEXT: llvm.inline_asm has_side_effects "exit;"
// CHECK-NEXT: llvm.unreachable
// CHECK: barrier
// CHECK: llvm.return
tt.func private @asserts(%x: tensor<256xi1, #v2>) {
  tt.assert %x, "out of range" : tensor<256xi1, #v2> loc(fused["name"(callsite("inner"("kernel.py":12:3) at "other.py":1:1))])
  tt.return
}

// No barrier follows an assert when each thread reads only addresses that it asserted itself, nor between consecutive asserts.
// Otherwise a thread, or the caller of the function, could fault before another thread's assert fails.
// CHECK-LABEL: llvm.func @guarded(
// CHECK-COUNT-2: llvm.call @__assertfail
// CHECK-NOT: barrier
// CHECK: llvm.return
tt.func public @guarded(%a: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #v2>
  %s = tt.splat %n : i32 -> tensor<256xi32, #v2>
  %x = arith.cmpi slt, %i, %s : tensor<256xi32, #v2>
  %y = arith.cmpi sgt, %i, %s : tensor<256xi32, #v2>
  tt.assert %x, "out of range" : tensor<256xi1, #v2>
  tt.assert %y, "out of range" : tensor<256xi1, #v2>
  %b = tt.splat %a : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #v2>
  %p = tt.addptr %b, %i : tensor<256x!tt.ptr<f32>, #v2>, tensor<256xi32, #v2>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>, #v2>
  tt.store %p, %v : tensor<256x!tt.ptr<f32>, #v2>
  tt.return
}

// CHECK-LABEL: llvm.func @elsewhere(
// CHECK: llvm.call @__assertfail
// CHECK-NOT: barrier
// CHECK: llvm.call @__assertfail
// CHECK: barrier
// CHECK: llvm.load
tt.func public @elsewhere(%a: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #v2>
  %s = tt.splat %n : i32 -> tensor<256xi32, #v2>
  %x = arith.cmpi slt, %i, %s : tensor<256xi32, #v2>
  tt.assert %x, "out of range" : tensor<256xi1, #v2>
  tt.assert %x, "out of range" : tensor<256xi1, #v2>
  %v = tt.load %a : !tt.ptr<f32>
  tt.store %a, %v : !tt.ptr<f32>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// A cluster is one program; its first CTA prints.
// CHECK-LABEL: llvm.func internal @cluster(
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: nvvm.read.ptx.sreg.clusterid.x
// CHECK-NOT: ctaid
// CHECK: llvm.call @vprintf
tt.func private @cluster(%i: i32) {
  tt.print "i " {hex = false, isSigned = array<i32: 1>} : %i : i32
  tt.return
}
}
