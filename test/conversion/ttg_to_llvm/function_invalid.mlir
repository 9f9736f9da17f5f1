// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm=kernel-tensors=0

#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{this type cannot be the parameter of a kernel: expected a scalar, a pointer or a tensor descriptor}}
tt.func public @tensor(%x: tensor<256xf32, #v2>) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{is a kernel with results: expected none, a kernel stores what it computes}}
tt.func public @result(%x: i32) -> i32 {
  tt.return %x : i32
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{tt.nv_tma_desc = 1 makes this argument a TMA descriptor: expected a pointer or a tensor descriptor}}
tt.func public @scalar(%x: i32 {tt.nv_tma_desc = 1 : i32}) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{a TMA descriptor is passed by value to kernels only; pass a pointer to this function}}
tt.func private @descriptor(%x: !tt.tensordesc<tensor<64x64xf16>>) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{'tt.func' op has tt.nv_tma_desc on argument #0 but is not a kernel}}
tt.func private @attribute(%x: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{f128 cannot be the parameter of a function}}
tt.func private @parameter(%x: f128) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{tensor<256xf32> has no encoding that distributes it over threads; run convert-triton-to-tritongpu first}}
tt.func private @not_distributed(%x: tensor<256xf32>) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{a result type of this function cannot be lowered}}
tt.func private @f128() -> f128 {
  %x = ub.poison : f128
  tt.return %x : f128
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @blocks(%c: i1) {
  %x = arith.constant 1.0 : f128
  cf.br ^next(%x : f128)
// expected-error @below {{f128 cannot pass between blocks}}
^next(%y: f128):
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @unknown(%n: index) {
  // expected-error @below {{'scf.for' op has no lowering to LLVM}}
  scf.for %i = %n to %n step %n {
  }
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{a token of asynchronous copies stays in its function: expected a wait before calls}}
tt.func private @copies_of_caller(%x: !ttg.async.token) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{this type cannot be the parameter of a kernel}}
tt.func public @memory(%x: !ttg.memdesc<64xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{this type cannot be the parameter of a kernel}}
tt.func public @vector(%x: vector<4xi32>) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{this type cannot be the parameter of a kernel}}
tt.func public @nothing(%x: i0) {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.total-num-warps" = 2147483647 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 33 : i32, ttg.target = "cuda:90"} {
// expected-error @below {{is a kernel of 70866960351 threads by its module: expected 1 to 1024}}
tt.func public @crowd() {
  tt.return
}
}

// -----

// Two top-level modules are nested in an implicit one.
module @first attributes {"ttg.num-warps" = 4 : i32} {
// expected-error @below {{'tt.func' op is in a nested module, which is not lowered: expected one module}}
tt.func public @one() {
  tt.return
}
}
module @second attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @two() {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @outer() {
  tt.return
}
module {
  // expected-error @below {{'tt.func' op is in a nested module, which is not lowered: expected one module}}
  tt.func private @inner() {
    tt.return
  }
}
}
