// RUN: nereid-opt %s --split-input-file --convert-triton-gpu-to-llvm --verify-diagnostics

// Each CTA has one half of the buffer.
#halves = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#halved = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @other_half(%i: tensor<256xi32, #halves>, %m: !ttg.memdesc<256xf32, #halved, #smem, mutable>) {
  // expected-error @below {{'ttg.local_gather' op moves elements between the CTAs of a cluster, which is not supported}}
  %y = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<256xf32, #halved, #smem, mutable>, tensor<256xi32, #halves> -> tensor<256xf32, #halves>
  tt.return
}
}

// -----

// Each CTA has the whole buffer, but stores one half of the values.
#halves = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#whole = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @half_of_values(%i: tensor<256xi32, #halves>, %x: tensor<256xf32, #halves>, %m: !ttg.memdesc<256xf32, #whole, #smem, mutable>) {
  // expected-error @below {{'ttg.local_scatter' op moves elements between the CTAs of a cluster, which is not supported}}
  ttg.local_scatter %m[%i], %x {axis = 0 : i32} : !ttg.memdesc<256xf32, #whole, #smem, mutable>, tensor<256xi32, #halves>, tensor<256xf32, #halves>
  tt.return
}
}

// -----

// Each CTA counts in its own buffer: the order of the atomics differs.
#same = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
#whole = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @orders(%i: tensor<256xi32, #same>, %x: tensor<256xi32, #same>, %m: !ttg.memdesc<256xi32, #whole, #smem, mutable>) -> tensor<256xi32, #same> {
  // expected-error @below {{'ttg.local_atomic_scatter_rmw' op has a result that several CTAs of a cluster use, which is not supported}}
  %y = ttg.local_atomic_scatter_rmw add, %m[%i], %x {axis = 0 : i32} : (!ttg.memdesc<256xi32, #whole, #smem, mutable>, tensor<256xi32, #same>, tensor<256xi32, #same>) -> tensor<256xi32, #same>
  tt.return %y : tensor<256xi32, #same>
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [32], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 32 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @large(%i: tensor<1024xi32, #line>, %m: !ttg.memdesc<268435456xi8, #plain, #smem, mutable>) {
  // expected-error @below {{'ttg.local_gather' op has a buffer with too many elements along the dimension of the indices}}
  %y = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<268435456xi8, #plain, #smem, mutable>, tensor<1024xi32, #line> -> tensor<1024xi8, #line>
  tt.return
}
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @bytes(%i: tensor<256xi32, #line>, %x: tensor<256xi8, #line>, %m: !ttg.memdesc<256xi8, #plain, #smem, mutable>) {
  // expected-error @below {{'ttg.local_atomic_scatter_rmw' op has no instruction for elements of type i8 on sm_90}}
  %y = ttg.local_atomic_scatter_rmw add, %m[%i], %x {axis = 0 : i32} : (!ttg.memdesc<256xi8, #plain, #smem, mutable>, tensor<256xi8, #line>, tensor<256xi32, #line>) -> tensor<256xi8, #line>
  tt.return
}
}
