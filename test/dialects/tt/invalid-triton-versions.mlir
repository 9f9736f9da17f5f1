// Invalid IR in the spellings of Triton 3.7 to 3.9.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected '>'}}
tt.func @encoding(%d: !tt.tensordesc<8x8xf32, 1 : i32, 2>) { tt.return }

// -----

// expected-error @+1 {{!tt.tensordesc expects a ranked tensor}}
tt.func @scalar(%d: !tt.tensordesc<f32>) { tt.return }

// -----

tt.func @policy(%p: !tt.ptr<f32>) {
  // expected-error @+2 {{expected ::nereid::tt::CacheModifier to be one of: none, ca, cg, wb, cs, wt, cv}}
  // expected-error @+1 {{failed to parse}}
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = best, eviction_policy = evict_normal>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @volatile(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.load' op attribute 'isVolatile' failed to satisfy constraint: bool attribute}}
  %0 = tt.load %p {isVolatile = 3 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @barrier() {
  // expected-error @+1 {{expected none, local, global_read, global_write, tensor_read, tensor_write or all}}
  ttg.barrier shared
  tt.return
}

// -----

tt.func @division(%x: f32, %i: i32) {
  // expected-error @+1 {{'tt.approx_divf' op}}
  %0 = "tt.approx_divf"(%x, %i) : (f32, i32) -> f32
  tt.return
}

// -----

tt.func @wait(%x: f32) {
  // expected-error @+1 {{'tt.grid_dependency_wait' op requires zero operands}}
  "tt.grid_dependency_wait"(%x) : (f32) -> ()
  tt.return
}

// -----

tt.func @launch(%x: f32) {
  // expected-error @+1 {{'tt.grid_dependency_launch_dependents' op requires zero operands}}
  "tt.grid_dependency_launch_dependents"(%x) : (f32) -> ()
  tt.return
}

// -----

// The conversion is not free: a thread would have to read another thread's element.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @broadcast(%x: tensor<16x1xf32, #other>) {
    // expected-error @+1 {{'tt.broadcast' op expects operand and result to have one encoding, or encodings with which every thread holds the elements that it broadcasts}}
    %0 = tt.broadcast %x : tensor<16x1xf32, #other> -> tensor<16x64xf32, #rows>
    tt.return
  }
}

// -----

// One mbarrier per CTA, not two.
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @barriers() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<4xi64, #bars, #smem, mutable>
    // expected-error @+1 {{'ttng.init_barrier' op expects an mbarrier}}
    ttng.init_barrier %0, 1 : !ttg.memdesc<4xi64, #bars, #smem, mutable>
    tt.return
  }
}
