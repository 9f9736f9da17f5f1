// Atomics: instruction, width, the executing thread, and the broadcast of its result to the other threads.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// Before sm_90 the maximum is a pair; sm_90 adds bf16 sums, PTX 8.1 vectors of sums.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm="ptx-version=80" | FileCheck %s --check-prefix=OLD
// OLD-LABEL: llvm.func internal @sum_f32(
// OLD-COUNT-4: atom.global.gpu.relaxed.add.f32 $0, [$1], $2;
// OLD-LABEL: llvm.func internal @sum_f16(
// OLD-COUNT-4: atom.global.gpu.relaxed.add.noftz.f16x2 $0, [$1], $2;

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v8 = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @sum_f32(
// CHECK: "atom.global.gpu.relaxed.add.v4.f32 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=r,=r,=r,=r,l,r,r,r,r"
// CHECK-NOT: atom.
// CHECK: llvm.return
tt.func private @sum_f32(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %v: tensor<512xf32, #v4>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %q, %v : (tensor<512x!tt.ptr<f32>, #v4>, tensor<512xf32, #v4>) -> tensor<512xf32, #v4>
  tt.return
}

// Adjacent 16-bit elements form a word, words form a vector.
// CHECK-LABEL: llvm.func internal @sum_f16(
// CHECK: "atom.global.gpu.relaxed.add.noftz.v4.f16x2 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};"
// CHECK-NOT: atom.
// CHECK: llvm.return
tt.func private @sum_f16(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: tensor<1024xf16, #v8>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #v8>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v8>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xi32, #v8>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %q, %v : (tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xf16, #v8>) -> tensor<1024xf16, #v8>
  tt.return
}

// CHECK-LABEL: llvm.func internal @sum_bf16(
// CHECK: "atom.global.gpu.relaxed.add.noftz.bf16x2 $0, [$1], $2;"
// CHECK-NOT: atom.
// CHECK: llvm.return
tt.func private @sum_bf16(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %v: tensor<256xbf16, #v2>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %s = tt.splat %p : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #v2>
  %q = tt.addptr %s, %r : tensor<256x!tt.ptr<bf16>, #v2>, tensor<256xi32, #v2>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %q, %v : (tensor<256x!tt.ptr<bf16>, #v2>, tensor<256xbf16, #v2>) -> tensor<256xbf16, #v2>
  tt.return
}

// A mask that may differ between adjacent elements prevents packing; the result of a masked-off element is 0.
// CHECK-LABEL: llvm.func internal @sum_masked(
// CHECK-COUNT-2: "@$3 atom.global.gpu.relaxed.add.noftz.f16 $0, [$1], $2;", "=h,l,h,b,0"
// CHECK-NOT: atom.
// CHECK: llvm.return
tt.func private @sum_masked(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: tensor<256xf16, #v2>, %m: tensor<256xi1, #v2>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #v2>
  %q = tt.addptr %s, %r : tensor<256x!tt.ptr<f16>, #v2>, tensor<256xi32, #v2>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %q, %v, %m : (tensor<256x!tt.ptr<f16>, #v2>, tensor<256xf16, #v2>, tensor<256xi1, #v2>) -> tensor<256xf16, #v2>
  tt.return
}

// CHECK-LABEL: llvm.func internal @add_i32(
// CHECK: "atom.global.gpu.relaxed.add.u32 $0, [$1], $2;"
tt.func private @add_i32(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @add_i64(
// CHECK: "atom.global.gpu.relaxed.add.u64 $0, [$1], $2;"
tt.func private @add_i64(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %v: tensor<128xi64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi64, #v1>) -> tensor<128xi64, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @fadd_f64(
// CHECK: "atom.global.gpu.relaxed.add.f64 $0, [$1], $2;"
tt.func private @fadd_f64(%p: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %v: tensor<128xf64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<f64> -> tensor<128x!tt.ptr<f64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<f64>, #v1>, tensor<128xf64, #v1>) -> tensor<128xf64, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @max_i32(
// CHECK: "atom.global.gpu.relaxed.max.s32 $0, [$1], $2;"
tt.func private @max_i32(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw max, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @min_i64(
// CHECK: "atom.global.gpu.relaxed.min.s64 $0, [$1], $2;"
tt.func private @min_i64(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %v: tensor<128xi64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw min, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi64, #v1>) -> tensor<128xi64, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @umax_i64(
// CHECK: "atom.global.gpu.relaxed.max.u64 $0, [$1], $2;"
tt.func private @umax_i64(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %v: tensor<128xi64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw umax, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi64, #v1>) -> tensor<128xi64, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @umin_i32(
// CHECK: "atom.global.gpu.relaxed.min.u32 $0, [$1], $2;"
tt.func private @umin_i32(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw umin, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @and_i32(
// CHECK: "atom.global.gpu.relaxed.and.b32 $0, [$1], $2;"
tt.func private @and_i32(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw and, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @or_i64(
// CHECK: "atom.global.gpu.relaxed.or.b64 $0, [$1], $2;"
tt.func private @or_i64(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %v: tensor<128xi64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw or, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi64, #v1>) -> tensor<128xi64, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @xor_i32(
// CHECK: "atom.global.gpu.relaxed.xor.b32 $0, [$1], $2;"
tt.func private @xor_i32(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw xor, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @exch_f32(
// CHECK: "atom.global.gpu.relaxed.exch.b32 $0, [$1], $2;"
tt.func private @exch_f32(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %v: tensor<128xf32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw exch, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<f32>, #v1>, tensor<128xf32, #v1>) -> tensor<128xf32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @exch_i64(
// CHECK: "atom.global.gpu.relaxed.exch.b64 $0, [$1], $2;"
tt.func private @exch_i64(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %v: tensor<128xi64, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw exch, relaxed, gpu, %q, %v : (tensor<128x!tt.ptr<i64>, #v1>, tensor<128xi64, #v1>) -> tensor<128xi64, #v1>
  tt.return
}

// An atomic that does not change memory is a load, unless it has release semantics.
// CHECK-LABEL: llvm.func internal @reads(
// CHECK: "@$2 ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,b,0"
// CHECK: "@$2 ld.acquire.sys.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK: "@$2 ld.relaxed.cta.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK: "@$2 ld.relaxed.cta.global.b64 $0, [$1];", "=l,l,b,0"
// CHECK: "@$3 atom.global.gpu.release.add.u64 $0, [$1], $2;", "=l,l,l,b,0"
// CHECK: "@$3 atom.global.gpu.relaxed.and.b64 $0, [$1], $2;", "=l,l,l,b,0"
tt.func private @reads(%p: !tt.ptr<i64>, %q: !tt.ptr<i32>) -> (i64, i32, i32, i64, i64, i64) {
  %zero = arith.constant 0 : i64
  %ones = arith.constant -1 : i32
  %least = arith.constant -2147483648 : i32
  %most = arith.constant 9223372036854775807 : i64
  %true = arith.constant true
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %zero, %true : (!tt.ptr<i64>, i64, i1) -> i64
  %1 = tt.atomic_rmw and, acquire, sys, %q, %ones, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %2 = tt.atomic_rmw max, relaxed, cta, %q, %least, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %3 = tt.atomic_rmw min, relaxed, cta, %p, %most, %true : (!tt.ptr<i64>, i64, i1) -> i64
  %4 = tt.atomic_rmw add, release, gpu, %p, %zero, %true : (!tt.ptr<i64>, i64, i1) -> i64
  %5 = tt.atomic_rmw and, relaxed, gpu, %p, %zero, %true : (!tt.ptr<i64>, i64, i1) -> i64
  tt.return %0, %1, %2, %3, %4, %5 : i64, i32, i32, i64, i64, i64
}

// CHECK-LABEL: llvm.func internal @acquire_cta(
// CHECK-NOT: barrier
// CHECK: "atom.global.cta.acquire.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @acquire_cta(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, acquire, cta, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @acquire_sys(
// CHECK-NOT: barrier
// CHECK: "atom.global.sys.acquire.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @acquire_sys(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, acquire, sys, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @release_cta(
// CHECK-NOT: barrier
// CHECK: "atom.global.cta.release.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @release_cta(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, release, cta, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @release_sys(
// CHECK-NOT: barrier
// CHECK: "atom.global.sys.release.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @release_sys(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, release, sys, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @acq_rel_cta(
// CHECK-NOT: barrier
// CHECK: "atom.global.cta.acq_rel.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @acq_rel_cta(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, acq_rel, cta, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @acq_rel_sys(
// CHECK-NOT: barrier
// CHECK: "atom.global.sys.acq_rel.add.u32 $0, [$1], $2;"
// CHECK: llvm.return
tt.func private @acq_rel_sys(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<128xi32, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_rmw add, acq_rel, sys, %q, %v : (tensor<128x!tt.ptr<i32>, #v1>, tensor<128xi32, #v1>) -> tensor<128xi32, #v1>
  tt.return
}

// Two threads for each element: one executes the atomic.
// CHECK-LABEL: llvm.func internal @one_acts(
// CHECK: llvm.getelementptr
// CHECK: %[[BITS:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[ONE:.*]] = llvm.icmp "eq" %[[BITS]], %{{.*}} : i32
// CHECK: "@$3 atom.global.gpu.relaxed.add.u32 $0, [$1], $2;"{{.*}}%[[ONE]]
// CHECK-NOT: st.shared
// CHECK: llvm.return
tt.func private @one_acts(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %v: tensor<64xi32, #v1>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #v1>
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>, #v1>, tensor<64xi32, #v1>
  %o = tt.atomic_rmw add, relaxed, gpu, %q, %v : (tensor<64x!tt.ptr<i32>, #v1>, tensor<64xi32, #v1>) -> tensor<64xi32, #v1>
  tt.return
}

// The other threads get the result through shared memory.
// CHECK-LABEL: llvm.func internal @all_see(
// CHECK: "@$3 atom.global.gpu.relaxed.add.u64 $0, [$1], $2;"
// CHECK: "@$2 st.shared.b64 [$0], $1;", "r,l,b"
// CHECK: barrier
// CHECK: %[[WAS:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i64
// CHECK: llvm.return %[[WAS]] : i64
tt.func private @all_see(%p: !tt.ptr<i64>, %v: tensor<64xi64, #v1>) -> tensor<64xi64, #v1> {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #v1>
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<i64>, #v1>, tensor<64xi32, #v1>
  %o = tt.atomic_rmw add, relaxed, gpu, %q, %v : (tensor<64x!tt.ptr<i64>, #v1>, tensor<64xi64, #v1>) -> tensor<64xi64, #v1>
  tt.return %o : tensor<64xi64, #v1>
}

// A scalar atomic orders accesses of the whole program.
// CHECK-LABEL: llvm.func internal @scalar(
// CHECK: barrier
// CHECK: "@$3 atom.global.gpu.acq_rel.exch.b32 $0, [$1], $2;"
// CHECK: barrier
// CHECK: llvm.return
tt.func private @scalar(%p: !tt.ptr<i32>, %v: i32) {
  %o = tt.atomic_rmw exch, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// CHECK-LABEL: llvm.func internal @swap_i16(
// CHECK: "atom.global.acq_rel.gpu.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h"
tt.func private @swap_i16(%p: !tt.ptr<i16>, %a: tensor<128xi16, #v1>, %b: tensor<128xi16, #v1>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v1>
  %s = tt.splat %p : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #v1>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<i16>, #v1>, tensor<128xi32, #v1>
  %o = tt.atomic_cas acq_rel, gpu, %q, %a, %b : (tensor<128x!tt.ptr<i16>, #v1>, tensor<128xi16, #v1>, tensor<128xi16, #v1>) -> tensor<128xi16, #v1>
  tt.return
}

// CHECK-LABEL: llvm.func internal @swap_f32(
// CHECK: "@$4 atom.global.relaxed.sys.cas.b32 $0, [$1], $2, $3;"
// CHECK: st.shared.b32
// CHECK: barrier
// CHECK: llvm.load
tt.func private @swap_f32(%p: !tt.ptr<f32>, %a: f32, %b: f32) -> f32 {
  %o = tt.atomic_cas relaxed, sys, %p, %a, %b : (!tt.ptr<f32>, f32, f32) -> f32
  tt.return %o : f32
}
}
