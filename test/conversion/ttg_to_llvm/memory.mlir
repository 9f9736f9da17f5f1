// Loads, stores and addresses: width, predicate, qualifiers.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s
// Eviction policies require PTX 7.4; before, the hint is dropped.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm="compute-capability=80 ptx-version=71" | FileCheck %s --check-prefix=OLD --implicit-check-not=policy --implicit-check-not=evict --implicit-check-not=hint
// OLD: llvm.func @load_modifiers(

#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v8 = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v16 = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func @plain_f32(
// An access without modifiers is an LLVM load or store.
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_f32(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %sq, %rq : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %rd = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sd = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %d = tt.addptr %sd, %rd : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %x = tt.load %q : tensor<512x!tt.ptr<f32>, #v4>
  tt.store %d, %x : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @plain_f16(
// f16 in one access. A copy needs no halves of its words, and of the addresses of a run only the first is a product.
// CHECK-COUNT-2: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
// CHECK-NOT: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: vector<2xf16>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_f16(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #v8>
  %sq = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v8>
  %q = tt.addptr %sq, %rq : tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xi32, #v8>
  %rd = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #v8>
  %sd = tt.splat %o : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v8>
  %d = tt.addptr %sd, %rd : tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xi32, #v8>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #v8>
  tt.store %d, %x : tensor<1024x!tt.ptr<f16>, #v8>
  tt.return
}

// An asserted contiguity may wrap at %n between two vectors of a thread: each has an address of its own.
// CHECK-LABEL: llvm.func @asserted(
// CHECK-COUNT-2: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
// CHECK-NOT: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: llvm.return
tt.func public @asserted(%p: !tt.ptr<f16> {tt.divisibility = 8 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #v8>
  %m = tt.splat %n : i32 -> tensor<1024xi32, #v8>
  %i = arith.remsi %r, %m {tt.contiguity = 1024 : i32, tt.divisibility = 1024 : i32} : tensor<1024xi32, #v8>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v8>
  %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xi32, #v8>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #v8>
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : tensor<1024xf16, #v8>
  tt.return
}

// CHECK-LABEL: llvm.func @sums_f16(
// Halves stay halves of their word for the assembler: they are taken out of it as floats.
// CHECK: %[[W:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// CHECK-NEXT: llvm.extractelement %[[W]]
// CHECK: llvm.fadd %{{.*}} : f16
tt.func public @sums_f16(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #v8>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v8>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f16>, #v8>, tensor<1024xi32, #v8>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #v8>
  %y = arith.addf %x, %x : tensor<1024xf16, #v8>
  tt.store %q, %y : tensor<1024x!tt.ptr<f16>, #v8>
  tt.return
}

// CHECK-LABEL: llvm.func @plain_i8(
// i8 in one access.
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_i8(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #v16>
  %sq = tt.splat %p : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #v16>
  %q = tt.addptr %sq, %rq : tensor<2048x!tt.ptr<i8>, #v16>, tensor<2048xi32, #v16>
  %rd = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #v16>
  %sd = tt.splat %o : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #v16>
  %d = tt.addptr %sd, %rd : tensor<2048x!tt.ptr<i8>, #v16>, tensor<2048xi32, #v16>
  %x = tt.load %q : tensor<2048x!tt.ptr<i8>, #v16>
  tt.store %d, %x : tensor<2048x!tt.ptr<i8>, #v16>
  tt.return
}

// CHECK-LABEL: llvm.func @plain_f64(
// f64 in one access.
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : vector<2xi64>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_f64(%p: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f64> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %sq = tt.splat %p : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>, #v2>
  %q = tt.addptr %sq, %rq : tensor<256x!tt.ptr<f64>, #v2>, tensor<256xi32, #v2>
  %rd = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %sd = tt.splat %o : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>, #v2>
  %d = tt.addptr %sd, %rd : tensor<256x!tt.ptr<f64>, #v2>, tensor<256xi32, #v2>
  %x = tt.load %q : tensor<256x!tt.ptr<f64>, #v2>
  tt.store %d, %x : tensor<256x!tt.ptr<f64>, #v2>
  tt.return
}

// CHECK-LABEL: llvm.func @plain_i1(
// i1 in one access.
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_i1(%p: !tt.ptr<i1> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i1> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<i1> -> tensor<512x!tt.ptr<i1>, #v4>
  %q = tt.addptr %sq, %rq : tensor<512x!tt.ptr<i1>, #v4>, tensor<512xi32, #v4>
  %rd = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sd = tt.splat %o : !tt.ptr<i1> -> tensor<512x!tt.ptr<i1>, #v4>
  %d = tt.addptr %sd, %rd : tensor<512x!tt.ptr<i1>, #v4>, tensor<512xi32, #v4>
  %x = tt.load %q : tensor<512x!tt.ptr<i1>, #v4>
  tt.store %d, %x : tensor<512x!tt.ptr<i1>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @plain_f8e5m2(
// f8E5M2 in one access.
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @plain_f8e5m2(%p: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %sq = tt.splat %p : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>, #v2>
  %q = tt.addptr %sq, %rq : tensor<256x!tt.ptr<f8E5M2>, #v2>, tensor<256xi32, #v2>
  %rd = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #v2>
  %sd = tt.splat %o : !tt.ptr<f8E5M2> -> tensor<256x!tt.ptr<f8E5M2>, #v2>
  %d = tt.addptr %sd, %rd : tensor<256x!tt.ptr<f8E5M2>, #v2>, tensor<256xi32, #v2>
  %x = tt.load %q : tensor<256x!tt.ptr<f8E5M2>, #v2>
  tt.store %d, %x : tensor<256x!tt.ptr<f8E5M2>, #v2>
  tt.return
}

// CHECK-LABEL: llvm.func @unaligned(
// An address without axis info: one access per element.
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : i32
tt.func public @unaligned(%p: !tt.ptr<f32>) {
  %rq = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %sq, %rq : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %x = tt.load %q : tensor<512x!tt.ptr<f32>, #v4>
  tt.store %q, %x : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @masked(
// The mask is equal for four elements: one predicate; the `other` values are the initial register values.
// CHECK: %[[M:.*]] = llvm.icmp "slt"
// CHECK: llvm.inline_asm has_side_effects "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %{{.*}}, %[[M]],
// CHECK: llvm.inline_asm has_side_effects "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"{{.*}}, %[[M]] :
tt.func public @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %sq, %rq : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %ns = tt.splat %n : i32 -> tensor<512xi32, #v4>
  %m = arith.cmpi slt, %rq, %ns : tensor<512xi32, #v4>
  %other = arith.constant dense<1.0> : tensor<512xf32, #v4>
  %x = tt.load %q, %m, %other : tensor<512x!tt.ptr<f32>, #v4>
  tt.store %q, %x, %m : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @masked_apart(
// It may differ within four: one access per element, 0 where masked off.
// CHECK-COUNT-4: "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK-COUNT-4: "@$2 st.global.b32 [$0], $1;", "l,r,b"
tt.func public @masked_apart(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %rq = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v4>
  %q = tt.addptr %sq, %rq : tensor<512x!tt.ptr<f32>, #v4>, tensor<512xi32, #v4>
  %ns = tt.splat %n : i32 -> tensor<512xi32, #v4>
  %m = arith.cmpi slt, %rq, %ns : tensor<512xi32, #v4>
  %x = tt.load %q, %m : tensor<512x!tt.ptr<f32>, #v4>
  tt.store %q, %x, %m : tensor<512x!tt.ptr<f32>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @masked_bytes(
// PTX has no 8-bit registers.
// CHECK: %[[ZERO:.*]] = llvm.zext %{{.*}} : i8 to i16
// CHECK: %[[WORD:.*]] = llvm.inline_asm has_side_effects "@$2 ld.global.b8 $0, [$1];", "=h,l,b,0" %arg0, %arg1, %[[ZERO]]
// CHECK: llvm.trunc %[[WORD]] : i16 to i8
// One thread of the CTA stores a scalar.
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %0,
// CHECK: %[[BOTH:.*]] = llvm.and %[[FIRST]], %arg1
// CHECK: "@$2 st.global.b8 [$0], $1;", "l,h,b"{{.*}}%[[BOTH]]
tt.func public @masked_bytes(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %m: i1) {
  %x = tt.load %p, %m : !tt.ptr<i8>
  tt.store %p, %x, %m : !tt.ptr<i8>
  tt.return
}

// CHECK-LABEL: llvm.func @load_modifiers(
// CHECK: "ld.global.ca.b32 $0, [$1];"
// CHECK: "ld.global.cg.b32 $0, [$1];"
// CHECK: "ld.global.cv.b32 $0, [$1];"
// CHECK: "ld.volatile.global.b32 $0, [$1];"
// CHECK: %[[FIRST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
// CHECK: "ld.global.L1::evict_first.L2::cache_hint.b32 $0, [$1], $2;", "=r,l,l" %arg0, %[[FIRST]]
// CHECK: %[[LAST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
// CHECK: "@$3 ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$1], $2;", "=r,l,l,b,0" %arg0, %[[LAST]], %arg1
tt.func public @load_modifiers(%p: !tt.ptr<i32>, %m: i1) {
  %x0 = tt.load %p cacheModifier = ca : !tt.ptr<i32>
  %x1 = tt.load %p cacheModifier = cg : !tt.ptr<i32>
  %x2 = tt.load %p cacheModifier = cv : !tt.ptr<i32>
  %y = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %z = tt.load %p evictionPolicy = evict_first : !tt.ptr<i32>
  %w = tt.load %p, %m evictionPolicy = evict_last : !tt.ptr<i32>
  tt.return
}

// In a loop each access creates its cache policy in place; after the loop an op creates one.
// CHECK-LABEL: llvm.func @policies_in_a_loop(
// CHECK: llvm.cond_br
// CHECK: %[[ONE:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
// CHECK-COUNT-2: "ld.global.L1::evict_last{{.*}}, %[[ONE]] :
// CHECK: llvm.return
// CHECK: llvm.inline_asm has_side_effects "mov.b64 $0, 0; createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
// CHECK: "ld.global.L1::evict_first
// CHECK: llvm.inline_asm has_side_effects "mov.b64 $0, 0; createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
// CHECK: "ld.global.L1::evict_first
tt.func public @policies_in_a_loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v4>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v4>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #v4>, tensor<1024xi32, #v4>
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^end
^body:
  %x = tt.load %q evictionPolicy = evict_first : tensor<1024x!tt.ptr<f32>, #v4>
  tt.store %q, %x : tensor<1024x!tt.ptr<f32>, #v4>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^end:
  %y = tt.load %q evictionPolicy = evict_last : tensor<1024x!tt.ptr<f32>, #v4>
  tt.store %q, %y : tensor<1024x!tt.ptr<f32>, #v4>
  tt.return
}

// The operands of each part of a store in a loop are computed just before that part.
// CHECK-LABEL: llvm.func @stores_in_a_loop(
// CHECK: llvm.fmul
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: llvm.store
// CHECK-COUNT-4: llvm.fadd
// CHECK: llvm.store
tt.func public @stores_in_a_loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v4>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v4>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #v4>, tensor<1024xi32, #v4>
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^end
^body:
  %x = tt.load %q : tensor<1024x!tt.ptr<f32>, #v4>
  %y = arith.mulf %x, %x : tensor<1024xf32, #v4>
  %z = arith.addf %x, %y : tensor<1024xf32, #v4>
  tt.store %q, %z : tensor<1024x!tt.ptr<f32>, #v4>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^end:
  tt.return
}

// CHECK-LABEL: llvm.func @store_modifiers(
// CHECK: "@$2 st.global.wb.b32 [$0], $1;"
// CHECK: "@$2 st.global.cg.b32 [$0], $1;"
// CHECK: "@$2 st.global.cs.b32 [$0], $1;"
// CHECK: "@$2 st.global.wt.b32 [$0], $1;"
// CHECK: "@$3 st.global.L1::evict_last.L2::cache_hint.b32 [$0], $1, $2;", "l,r,l,b"
tt.func public @store_modifiers(%p: !tt.ptr<i32>, %v: i32) {
  tt.store %p, %v cacheModifier = wb : !tt.ptr<i32>
  tt.store %p, %v cacheModifier = cg : !tt.ptr<i32>
  tt.store %p, %v cacheModifier = cs : !tt.ptr<i32>
  tt.store %p, %v cacheModifier = wt : !tt.ptr<i32>
  tt.store %p, %v evictionPolicy = evict_last : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: llvm.func @pointers(
// A pointer in memory is 64 bits.
// CHECK: %[[WORD:.*]] = llvm.load %arg0 {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: %[[P:.*]] = llvm.inttoptr %[[WORD]] : i64 to !llvm.ptr<1>
// CHECK: "@$2 st.global.b32 [$0], $1;", "l,r,b" %[[P]]
tt.func public @pointers(%p: !tt.ptr<!tt.ptr<f32>> {tt.divisibility = 16 : i32}, %v: f32) {
  %x = tt.load %p : !tt.ptr<!tt.ptr<f32>>
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: llvm.func @copies(
// 64 elements in 256 registers: the first warp stores.
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: %[[COPY:.*]] = llvm.and %0,
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[COPY]]
// CHECK: "@$3 st.global.v2.b32 [$0], {$1, $2};", "l,r,r,b"{{.*}}%[[FIRST]]
tt.func public @copies(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #v2>
  %sq = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #v2>
  %q = tt.addptr %sq, %rq : tensor<64x!tt.ptr<i32>, #v2>, tensor<64xi32, #v2>
  %x = tt.load %q : tensor<64x!tt.ptr<i32>, #v2>
  tt.store %q, %x : tensor<64x!tt.ptr<i32>, #v2>
  tt.return
}

// CHECK-LABEL: llvm.func @register_copies(
// Four registers with one element: one load, one store.
// CHECK-COUNT-1: llvm.load
// CHECK-NOT: llvm.load
// CHECK-COUNT-1: st.global
// CHECK-NOT: st.global
// CHECK: llvm.return
tt.func public @register_copies(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %rq = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32, #v4>
  %sq = tt.splat %p : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>, #v4>
  %q = tt.addptr %sq, %rq : tensor<1x!tt.ptr<i32>, #v4>, tensor<1xi32, #v4>
  %x = tt.load %q : tensor<1x!tt.ptr<i32>, #v4>
  tt.store %q, %x : tensor<1x!tt.ptr<i32>, #v4>
  tt.return
}

// CHECK-LABEL: llvm.func @steps(
// Steps of one byte and of eight.
// CHECK: llvm.getelementptr %arg0[%arg2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
// CHECK: llvm.getelementptr %arg1[%arg3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
tt.func public @steps(%p: !tt.ptr<i1>, %q: !tt.ptr<!tt.ptr<f16>>, %i: i32, %j: i64) {
  %a = tt.addptr %p, %i : !tt.ptr<i1>, i32
  %b = tt.addptr %q, %j : !tt.ptr<!tt.ptr<f16>>, i64
  %x = tt.load %a : !tt.ptr<i1>
  %y = tt.load %b : !tt.ptr<!tt.ptr<f16>>
  tt.return
}

}
