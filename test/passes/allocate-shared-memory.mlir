// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// A conversion that moves elements between warps has scratch; the module has the total size.
// CHECK: module attributes {{.*}}ttg.shared = 16384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @exchange
  // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = {{[0-9]+}} : i32} : tensor<64x64xf32
  tt.func public @exchange(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %w = ttg.convert_layout %v : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: module attributes {{.*}}ttg.shared = 0 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @nothing
  // CHECK-NOT: allocation.offset
  tt.func public @nothing(%p: tensor<128x!tt.ptr<f32>, #line>) {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>, #line>
    tt.store %p, %v : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  // A conversion whose scratch exceeds the limit, which depends on the target, is divided.
  // CHECK-LABEL: tt.func public @large
  // CHECK: ttg.convert_layout {{.*}}allocation.parts = 2 : i32
  tt.func public @large(%p: tensor<256x128x!tt.ptr<f32>, #rows>, %q: tensor<256x128x!tt.ptr<f32>, #columns>) {
    %v = tt.load %p : tensor<256x128x!tt.ptr<f32>, #rows>
    %w = ttg.convert_layout %v : tensor<256x128xf32, #rows> -> tensor<256x128xf32, #columns>
    tt.store %q, %w : tensor<256x128x!tt.ptr<f32>, #columns>
    tt.return
  }
}

// -----

// One register bit selects half of the elements in both layouts, so there are two parts at most, whose 65536 bytes of
// scratch do not fit next to the live buffer.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @still_too_large(%v: tensor<128x256xf32, #rows>, %q: tensor<128x256x!tt.ptr<f32>, #columns>, %x: tensor<128x128xf32, #rows>) {
    // expected-note@below {{65536 bytes at offset 0 are for this}}
    %a = ttg.local_alloc %x : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #flat, #smem, mutable>
    // expected-error@below {{needs 131072 bytes of shared memory with the other live buffers, the target has 101376}}
    // expected-note@below {{scratch of 32768 bytes, 1/2 of it, would fit here with the other buffers as they are}}
    // expected-note@below {{65536 bytes at offset 65536 are scratch of this}}
    %w = ttg.convert_layout %v : tensor<128x256xf32, #rows> -> tensor<128x256xf32, #columns>
    tt.store %q, %w : tensor<128x256x!tt.ptr<f32>, #columns>
    ttg.local_dealloc %a : !ttg.memdesc<128x128xf32, #flat, #smem, mutable>
    tt.return
  }
}

// -----

// Buffers with overlapping live ranges are disjoint; one defined after the last use of another, through a view, reuses
// its bytes. A ring of three stages has their total size.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK: module attributes {{.*}}ttg.shared = 2048 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @buffers
  tt.func public @buffers(%x: tensor<128xf32, #line>, %i: i32, %p: tensor<128x!tt.ptr<f32>, #line>) {
    // CHECK: ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<3x128xf32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x128xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 1536 : i32}
    %a = ttg.local_alloc %x : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %v = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128xf32, #shared, #smem, mutable> -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    %y = ttg.local_load %a : !ttg.memdesc<128xf32, #shared, #smem> -> tensor<128xf32, #line>
    ttg.local_store %y, %v : tensor<128xf32, #line> -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %b = ttg.local_alloc %y : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %z = ttg.local_load %b : !ttg.memdesc<128xf32, #shared, #smem> -> tensor<128xf32, #line>
    tt.store %p, %z : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }
}

// -----

// A buffer used in a loop is live until the loop's end: the scratch of later ops in the loop has other bytes.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: module attributes {{.*}}ttg.shared = 32768 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @loop
  tt.func public @loop(%x: tensor<64x64xf32, #rows>, %p: tensor<64x64x!tt.ptr<f32>, #columns>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    cf.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf32, #shared, #smem> -> tensor<64x64xf32, #rows>
    // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 16384 : i32}
    %z = ttg.convert_layout %y : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %p, %z : tensor<64x64x!tt.ptr<f32>, #columns>
    %j = arith.addi %i, %c1 : i32
    %more = arith.cmpi slt, %j, %n : i32
    cf.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    tt.return
  }

  // The same with scf, and with a loop-carried buffer.
  // CHECK-LABEL: tt.func public @carried
  tt.func public @carried(%x: tensor<64x64xf32, #rows>, %p: tensor<64x64x!tt.ptr<f32>, #columns>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> (!ttg.memdesc<64x64xf32, #shared, #smem>) : i32 {
      %y = ttg.local_load %b : !ttg.memdesc<64x64xf32, #shared, #smem> -> tensor<64x64xf32, #rows>
      // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 16384 : i32}
      %z = ttg.convert_layout %y : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      tt.store %p, %z : tensor<64x64x!tt.ptr<f32>, #columns>
      scf.yield %b : !ttg.memdesc<64x64xf32, #shared, #smem>
    }
    // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
    %w = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %p, %w : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }
}

// -----

// A call reserves its callee's frame, above all buffers that live across the call.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK: module attributes {{.*}}ttg.shared = 1024 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @caller
  tt.func public @caller(%x: tensor<128xf32, #line>, %p: tensor<128x!tt.ptr<f32>, #line>) {
    %a = ttg.local_alloc %x : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    // CHECK: tt.call @callee(%{{.*}}) {allocation.offset = 512 : i32}
    %y = tt.call @callee(%x) : (tensor<128xf32, #line>) -> tensor<128xf32, #line>
    %z = ttg.local_load %a : !ttg.memdesc<128xf32, #shared, #smem> -> tensor<128xf32, #line>
    tt.store %p, %z : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }
  // CHECK-LABEL: tt.func private @callee
  tt.func private @callee(%x: tensor<128xf32, #line>) -> tensor<128xf32, #line> {
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %z = ttg.local_load %a : !ttg.memdesc<128xf32, #shared, #smem> -> tensor<128xf32, #line>
    tt.return %z : tensor<128xf32, #line>
  }
}

// -----

// A ring fits with fewer slots.
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @slots(%p: tensor<64x128x!tt.ptr<f32>, #rows>, %i: i32) {
    // expected-error@below {{'ttg.local_alloc' op needs 163840 bytes of shared memory, the target has 101376}}
    // expected-note@below {{3x64x128xf32 of 98304 bytes would fit here with the other buffers as they are}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<5x64x128xf32, #flat, #smem, mutable>
    %s = ttg.memdesc_index %a[%i] : !ttg.memdesc<5x64x128xf32, #flat, #smem, mutable> -> !ttg.memdesc<64x128xf32, #flat, #smem, mutable>
    %x = ttg.local_load %s : !ttg.memdesc<64x128xf32, #flat, #smem, mutable> -> tensor<64x128xf32, #rows>
    tt.store %p, %x : tensor<64x128x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// No smaller size of one buffer is enough.
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @both(%p: tensor<128x256x!tt.ptr<f32>, #rows>) {
    // expected-note@below {{131072 bytes at offset 0 are for this 128x256xf32}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x256xf32, #flat, #smem, mutable>
    // expected-error@below {{'ttg.local_alloc' op needs 262144 bytes of shared memory with the other live buffers, the target has 101376}}
    // expected-note@below {{the buffers would fit with 1/4 of their sizes, such as here 64x128xf32}}
    // expected-note@below {{131072 bytes at offset 131072 are for this 128x256xf32}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<128x256xf32, #flat, #smem, mutable>
    %x = ttg.local_load %a : !ttg.memdesc<128x256xf32, #flat, #smem, mutable> -> tensor<128x256xf32, #rows>
    %y = ttg.local_load %b : !ttg.memdesc<128x256xf32, #flat, #smem, mutable> -> tensor<128x256xf32, #rows>
    tt.store %p, %x : tensor<128x256x!tt.ptr<f32>, #rows>
    tt.store %p, %y : tensor<128x256x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// The sum exceeds the limit: the error is at the highest buffer, notes list the others.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @together(%p: tensor<16384x!tt.ptr<f32>, #line>) {
    // expected-note@below {{65536 bytes at offset 0 are for this}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<16384xf32, #shared, #smem, mutable>
    // expected-error@below {{'ttg.local_alloc' op needs 131072 bytes of shared memory with the other live buffers, the target has 101376}}
    // expected-note@below {{8192xf32 of 32768 bytes would fit here with the other buffers as they are}}
    // expected-note@below {{65536 bytes at offset 65536 are for this 16384xf32}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<16384xf32, #shared, #smem, mutable>
    %x = ttg.local_load %a : !ttg.memdesc<16384xf32, #shared, #smem, mutable> -> tensor<16384xf32, #line>
    %y = ttg.local_load %b : !ttg.memdesc<16384xf32, #shared, #smem, mutable> -> tensor<16384xf32, #line>
    tt.store %p, %x : tensor<16384x!tt.ptr<f32>, #line>
    tt.store %p, %y : tensor<16384x!tt.ptr<f32>, #line>
    tt.return
  }
}

// -----

// The padding of a padded encoding is allocated: three times four elements.
#smem = #ttg.shared_memory
#padded = #ttg.padded_shared<[32:+4] {order = [0], shape = [128]}>
// CHECK: module attributes {{.*}}ttg.shared = 560 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @padded() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #padded, #smem, mutable>
    tt.return
  }
}

// -----

// A callee's frame exceeds the limit: notes name its contents, down to the buffer.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @inner(%p: tensor<16384x!tt.ptr<f32>, #line>) {
    // expected-note@below {{in the frame of @inner 65536 bytes at offset 0 are for this}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<16384xf32, #shared, #smem, mutable>
    %x = ttg.local_load %a : !ttg.memdesc<16384xf32, #shared, #smem, mutable> -> tensor<16384xf32, #line>
    tt.store %p, %x : tensor<16384x!tt.ptr<f32>, #line>
    tt.return
  }
  tt.func private @outer(%p: tensor<16384x!tt.ptr<f32>, #line>) {
    // expected-note@below {{in the frame of @outer 65536 bytes at offset 0 are the frame of this call}}
    tt.call @inner(%p) : (tensor<16384x!tt.ptr<f32>, #line>) -> ()
    tt.return
  }
  tt.func private @middle(%p: tensor<16384x!tt.ptr<f32>, #line>) {
    // expected-note@below {{8192xf32 of 32768 bytes would fit here with the other buffers as they are}}
    // expected-note@below {{65536 bytes at offset 0 are for this 16384xf32}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<16384xf32, #shared, #smem, mutable>
    // expected-error@below {{needs 131072 bytes of shared memory with the other live buffers, the target has 101376}}
    // expected-note@below {{65536 bytes at offset 65536 are the frame of this call}}
    tt.call @outer(%p) : (tensor<16384x!tt.ptr<f32>, #line>) -> ()
    %y = ttg.local_load %b : !ttg.memdesc<16384xf32, #shared, #smem, mutable> -> tensor<16384xf32, #line>
    tt.store %p, %y : tensor<16384x!tt.ptr<f32>, #line>
    tt.return
  }
  tt.func public @kernel(%p: tensor<16384x!tt.ptr<f32>, #line>) {
    // expected-note@below {{@middle is called here, by @kernel}}
    tt.call @middle(%p) : (tensor<16384x!tt.ptr<f32>, #line>) -> ()
    tt.return
  }
}

// -----

// Partitions' warps execute their callees, which have their warp count. The kernel has the frame size and the warps' bytes.
// CHECK: module attributes {{.*}}ttg.shared = 6 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @kernel()
  // CHECK-SAME: allocation.offset = 0 : i32
  // CHECK-SAME: ttg.shared = 6 : i32
  tt.func public @kernel() {
    ttg.warp_specialize()
    default {
      tt.call @by_four() : () -> ()
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      tt.call @by_two() : () -> ()
      ttg.warp_return
    }
    partition1() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  // CHECK: tt.func private @by_two() attributes {{{.*}}"ttg.num-warps" = 2 : i32
  tt.func private @by_two() {
    tt.call @below() : () -> ()
    tt.return
  }
  // CHECK: tt.func private @below() attributes {{{.*}}"ttg.num-warps" = 2 : i32
  tt.func private @below() {
    tt.return
  }
  // CHECK: tt.func private @by_four() {
  tt.func private @by_four() {
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    ttg.warp_specialize()
    default {
      // expected-error@below {{is executed by 4 warps, but @both by 2: a function has one number of warps}}
      tt.call @both() : () -> ()
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  tt.func private @both() attributes {"ttg.num-warps" = 2 : i32} {
    tt.return
  }
}
