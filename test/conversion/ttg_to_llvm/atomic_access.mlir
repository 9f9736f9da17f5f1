// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// Each thread has its own element: a barrier after an acquire, before a release, and none for a relaxed access.
// CHECK-LABEL: llvm.func @tensors(
// CHECK: "@$2 ld.acquire.gpu.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK: barrier
// CHECK: barrier
// CHECK: "@$2 st.release.sys.global.b32 [$0], $1;", "l,r,b"
// CHECK-NOT: barrier
// CHECK: "ld.relaxed.cta.global.b32 $0, [$1];", "=r,l"
// CHECK-NOT: barrier
// CHECK: "st.relaxed.gpu.global.b32 [$0], $1;", "l,r"
// CHECK: llvm.return
tt.func public @tensors(%p: tensor<128x!tt.ptr<i32>, #line>, %q: tensor<128x!tt.ptr<i32>, #line>, %r: tensor<128x!tt.ptr<i32>, #line>, %s: tensor<128x!tt.ptr<i32>, #line>, %m: tensor<128xi1, #line>) {
  %x = tt.atomic_load acquire, gpu, %p, %m : (tensor<128x!tt.ptr<i32>, #line>, tensor<128xi1, #line>) -> tensor<128xi32, #line>
  tt.atomic_store release, sys, %q, %x, %m : tensor<128x!tt.ptr<i32>, #line>
  %y = tt.atomic_load relaxed, cta, %r : (tensor<128x!tt.ptr<i32>, #line>) -> tensor<128xi32, #line>
  tt.atomic_store relaxed, gpu, %s, %y : tensor<128x!tt.ptr<i32>, #line>
  tt.return
}

// One thread polls; the others get the result through shared memory, after a barrier.
// CHECK-LABEL: llvm.func @poll(
// CHECK: llvm.cond_br %{{.*}}, ^[[BODY:.*]], ^[[SKIP:.*]]
// CHECK: ^[[BODY]]:
// CHECK: "ld.acquire.gpu.global.b16 $0, [$1];", "=h,l"
// CHECK: llvm.icmp "eq"
// CHECK: "mov.u64 $0, %globaltimer;"
// CHECK: llvm.icmp "uge"
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[BODY]]
// CHECK: "@$2 st.shared.b8 [$0], $1;"
// CHECK: barrier
// CHECK: llvm.return
tt.func public @poll(%p: !tt.ptr<i16>, %e: i16, %t: i64, %o: !tt.ptr<i1>) {
  %b = tt.atomic_poll acquire, gpu, %p, %e timeout %t : !tt.ptr<i16>, i16 -> i1
  tt.store %o, %b : !tt.ptr<i1>
  tt.return
}
}
