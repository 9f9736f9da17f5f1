// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op tensor has element type i32, the buffer f32}}
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi32, #b> -> tensor<32x16xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x8xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op tensor and indices must have the same shape}}
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x8xi32, #b> -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #other>) {
  // expected-error @+1 {{'ttg.local_gather' op tensor and indices must have the same encoding}}
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi32, #other> -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32xf32, #line, #smem, mutable>, %i: tensor<32x16xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op indices have rank 2, the buffer 1, its encoding 1}}
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32xf32, #line, #smem, mutable>, tensor<32x16xi32, #b> -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op axis is 2, expected 0 to 1}}
  %x = ttg.local_gather %m[%i] {axis = 2 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi32, #b> -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op axis is -1, expected 0 to 1}}
  %x = ttg.local_gather %m[%i] {axis = -1 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi32, #b> -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @gather(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x32xi32, #b>) {
  // expected-error @+1 {{'ttg.local_gather' op indices have size 32 in dimension 1, the buffer only 16}}
  %x = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x32xi32, #b> -> tensor<32x32xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @scatter(%m: !ttg.memdesc<32x16xf32, #s, #smem>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf32, #b>) {
  // expected-error @+1 {{'ttg.local_scatter' op cannot write to a buffer that is not mutable}}
  ttg.local_scatter %m[%i], %v {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem>, tensor<32x16xi32, #b>, tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @scatter(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf16, #b>) {
  // expected-error @+1 {{'ttg.local_scatter' op tensor has element type f16, the buffer f32}}
  ttg.local_scatter %m[%i], %v {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi32, #b>, tensor<32x16xf16, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @atomic(%m: !ttg.memdesc<32x16xf32, #s, #smem>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf32, #b>) {
  // expected-error @+1 {{'ttg.local_atomic_scatter_rmw' op cannot write to a buffer that is not mutable}}
  %x = ttg.local_atomic_scatter_rmw fadd, %m[%i], %v {axis = 0 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem>, tensor<32x16xf32, #b>, tensor<32x16xi32, #b>) -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @atomic(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf32, #b>) {
  // expected-error @+1 {{'ttg.local_atomic_scatter_rmw' op expects integer elements for this function, got f32}}
  %x = ttg.local_atomic_scatter_rmw add, %m[%i], %v {axis = 0 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xf32, #b>, tensor<32x16xi32, #b>) -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @atomic(%m: !ttg.memdesc<32x16xi32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xi32, #b>) {
  // expected-error @+1 {{'ttg.local_atomic_scatter_rmw' op expects float elements for this function, got i32}}
  %x = ttg.local_atomic_scatter_rmw fadd, %m[%i], %v {axis = 0 : i32} : (!ttg.memdesc<32x16xi32, #s, #smem, mutable>, tensor<32x16xi32, #b>, tensor<32x16xi32, #b>) -> tensor<32x16xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @atomic(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf32, #b>) {
  // expected-error @+1 {{'ttg.local_atomic_scatter_rmw' op axis is 2, expected 0 to 1}}
  %x = ttg.local_atomic_scatter_rmw fadd, %m[%i], %v {axis = 2 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xf32, #b>, tensor<32x16xi32, #b>) -> tensor<32x16xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @mask(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi32, #b>, %v: tensor<32x16xf32, #b>, %mask: tensor<32x16xi1, #other>) {
  // expected-error @+1 {{'ttg.local_atomic_scatter_rmw' op failed to verify that mask is i1 of the shape and encoding of values}}
  %x = ttg.local_atomic_scatter_rmw fadd, %m[%i], %v, %mask {axis = 0 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xf32, #b>, tensor<32x16xi32, #b>, tensor<32x16xi1, #other>) -> tensor<32x16xf32, #b>
  tt.return
}
}
