// RUN: nereid-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --test-print-allocation -o /dev/null
// RUN: nereid-opt %s --allow-unregistered-dialect --split-input-file --test-print-allocation="get-scratch-size-function=ValidConstant" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not nereid-opt %s --allow-unregistered-dialect --split-input-file --test-print-allocation="get-scratch-size-function=Twice" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION

// With the option every op has 128 bytes.
// CONSTANT: scratch offset = {{[0-9]+}}, size = 128
// OPTION: error: get-scratch-size-function must be None or ValidConstant, got 'Twice'

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
!large = !ttg.memdesc<256xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Explicit buffers, scratch and the frame of a call, by live range.
  // expected-remark@below {{kinds}}
  // expected-remark@below {{size = 16896}}
  tt.func public @kinds(%x: tensor<64x64xf32, #rows>, %l: tensor<128xf32, #line>, %p: tensor<64x64x!tt.ptr<f32>, #columns>) {
    // expected-remark@below {{offset = 16384, size = 512}}
    %a = ttg.local_alloc %l : (tensor<128xf32, #line>) -> !ttg.memdesc<128xf32, #shared, #smem>
    // expected-remark@below {{scratch offset = 0, size = 16384}}
    %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %p, %y : tensor<64x64x!tt.ptr<f32>, #columns>
    // expected-remark@below {{virtual offset = 0, size = 512}}
    tt.call @callee() : () -> ()
    %z = ttg.local_load %a : !ttg.memdesc<128xf32, #shared, #smem> -> tensor<128xf32, #line>
    "use"(%z) : (tensor<128xf32, #line>) -> ()
    tt.return
  }
  // expected-remark@below {{callee}}
  // expected-remark@below {{size = 512}}
  tt.func private @callee() {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    tt.return
  }

  // A buffer that is in one branch only shares bytes with one that is in the other.
  // expected-remark@below {{branches}}
  // expected-remark@below {{size = 1024}}
  tt.func public @branches(%c: i1) {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    scf.if %c {
      // expected-remark@below {{offset = 512, size = 512}}
      %b = ttg.local_alloc : () -> !buffer
      "use"(%b) : (!buffer) -> ()
    } else {
      // expected-remark@below {{offset = 512, size = 512}}
      %d = ttg.local_alloc : () -> !buffer
      "use"(%d) : (!buffer) -> ()
    }
    "use"(%a) : (!buffer) -> ()
    tt.return
  }

  // A block argument may be either of two buffers: both are live until its last use.
  // expected-remark@below {{either}}
  // expected-remark@below {{size = 1536}}
  tt.func public @either(%c: i1) {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{offset = 512, size = 512}}
    %b = ttg.local_alloc : () -> !buffer
    %s = arith.select %c, %a, %b : !buffer
    // expected-remark@below {{offset = 1024, size = 512}}
    %d = ttg.local_alloc : () -> !buffer
    "use"(%s) : (!buffer) -> ()
    tt.return
  }

  // Blocks in an order other than control flow: a buffer defined in a later block and used in an earlier one is live in
  // between.
  // expected-remark@below {{order}}
  // expected-remark@below {{size = 1024}}
  tt.func public @order(%c: i1) {
    cf.br ^first
  ^second(%x: !buffer):
    // expected-remark@below {{offset = 512, size = 512}}
    %b = ttg.local_alloc : () -> !buffer
    "use"(%b) : (!buffer) -> ()
    "use"(%x) : (!buffer) -> ()
    tt.return
  ^first:
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    cf.br ^second(%a : !buffer)
  }

  // A loop-carried buffer is not live before its definition: %a and %b share bytes.
  // expected-remark@below {{around}}
  // expected-remark@below {{size = 1024}}
  tt.func public @around(%n: i32, %c0: i32, %c1: i32) {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{offset = 512, size = 512}}
    %start = ttg.local_alloc : () -> !buffer
    "use"(%a) : (!buffer) -> ()
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %start) -> (!buffer) : i32 {
      "use"(%x) : (!buffer) -> ()
      // expected-remark@below {{offset = 0, size = 512}}
      %b = ttg.local_alloc : () -> !buffer
      scf.yield %b : !buffer
    }
    tt.return
  }

  // A function returns one of its arguments: the other is dead after the call.
  // expected-remark@below {{returned}}
  // expected-remark@below {{size = 1024}}
  tt.func public @returned() {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{offset = 512, size = 512}}
    %b = ttg.local_alloc : () -> !buffer
    %r = tt.call @second(%a, %b) : (!buffer, !buffer) -> !buffer
    // expected-remark@below {{offset = 0, size = 512}}
    %d = ttg.local_alloc : () -> !buffer
    "use"(%r, %d) : (!buffer, !buffer) -> ()
    tt.return
  }
  // expected-remark@below {{second}}
  // expected-remark@below {{size = 0}}
  tt.func private @second(%x: !buffer, %y: !buffer) -> !buffer {
    tt.return %y : !buffer
  }
}

// -----

// A copy is in flight until a wait leaves at most as many groups pending as were committed after its own.
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@below {{copies}}
  // expected-remark@below {{size = 1536}}
  tt.func public @copies(%p: tensor<128x!tt.ptr<f32>, #line>) {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    %t = ttg.async_copy_global_to_local %p, %a : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    %g = ttg.async_commit_group
    // expected-remark@below {{offset = 512, size = 512}}
    %b = ttg.local_alloc : () -> !buffer
    %u = ttg.async_copy_global_to_local %p, %b : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    %h = ttg.async_commit_group
    // expected-remark@below {{offset = 1024, size = 512}}
    %before = ttg.local_alloc : () -> !buffer
    %w = ttg.async_wait {num = 1 : i32}
    // expected-remark@below {{offset = 0, size = 512}}
    %after_a = ttg.local_alloc : () -> !buffer
    %v = ttg.async_wait {num = 0 : i32}
    // expected-remark@below {{offset = 0, size = 512}}
    %after_b = ttg.local_alloc : () -> !buffer
    tt.return
  }

  // Operations that a function leaves in flight keep its frame and its buffer arguments live until the wait.
  // expected-remark@below {{passed}}
  // expected-remark@below {{size = 1536}}
  tt.func public @passed(%p: tensor<128x!tt.ptr<f32>, #line>) {
    // expected-remark@below {{offset = 0, size = 512}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{virtual offset = 512, size = 512}}
    tt.call @begin(%p, %a) : (tensor<128x!tt.ptr<f32>, #line>, !buffer) -> ()
    // expected-remark@below {{offset = 1024, size = 512}}
    %b = ttg.local_alloc : () -> !buffer
    "use"(%b) : (!buffer) -> ()
    %w = ttg.async_wait {num = 0 : i32}
    // expected-remark@below {{offset = 0, size = 512}}
    %d = ttg.local_alloc : () -> !buffer
    tt.return
  }
  // expected-remark@below {{begin}}
  // expected-remark@below {{size = 512}}
  tt.func private @begin(%p: tensor<128x!tt.ptr<f32>, #line>, %x: !buffer) {
    // expected-remark@below {{offset = 0, size = 512}}
    %own = ttg.local_alloc : () -> !buffer
    %t = ttg.async_copy_global_to_local %p, %x : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    %u = ttg.async_copy_global_to_local %p, %own : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    %g = ttg.async_commit_group
    tt.return
  }
}

// -----

// Alignments: mbarriers, swizzle patterns of nvmma_shared, explicit alignments. The destination of a bulk load is aligned
// for it, and live until the last wait for its mbarrier.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@below {{bulk}}
  // expected-remark@below {{size = 16408}}
  tt.func public @bulk(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %true: i1) {
    // expected-remark@below {{offset = 16384, size = 8}}
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    // expected-remark@below {{offset = 16392, size = 8}}
    %other = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    // expected-remark@below {{offset = 16400, size = 8}}
    %third = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %other, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %third, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    // expected-remark@below {{offset = 0, size = 8192}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %bar, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-remark@below {{offset = 8192, size = 8192}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.wait_barrier %other, %i : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    "use"(%b) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    ttng.wait_barrier %bar, %i : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    // expected-remark@below {{offset = 0, size = 8192}}
    %c = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    "use"(%bar, %other, %third) : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    tt.return
  }

  // A store out of shared memory reads it until its wait.
  // expected-remark@below {{store}}
  // expected-remark@below {{size = 16384}}
  tt.func public @store(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32) {
    // expected-remark@below {{offset = 0, size = 8192}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-remark@below {{offset = 8192, size = 8192}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    // expected-remark@below {{offset = 0, size = 8192}}
    %c = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tt.return
  }

  // expected-remark@below {{said}}
  // expected-remark@below {{size = 288}}
  tt.func public @said() {
    // expected-remark@below {{offset = 0, size = 32}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<8xf32, #shared, #smem, mutable>
    // expected-remark@below {{offset = 256, size = 32}}
    %b = ttg.local_alloc {alignment = 256 : i32} : () -> !ttg.memdesc<8xf32, #shared, #smem, mutable>
    "use"(%a, %b) : (!ttg.memdesc<8xf32, #shared, #smem, mutable>, !ttg.memdesc<8xf32, #shared, #smem, mutable>) -> ()
    tt.return
  }
}

// -----

// Regions of a ttg.warp_specialize run concurrently.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<16xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two buffers of one region share bytes; buffers of other regions have other bytes. The function has a byte per warp.
  // expected-remark@below {{at_once}}
  // expected-remark@below {{scratch offset = 192, size = 6}}
  // expected-remark@below {{size = 198}}
  tt.func public @at_once() {
    ttg.warp_specialize()
    default {
      // expected-remark@below {{offset = 0, size = 64}}
      %a = ttg.local_alloc : () -> !buffer
      // expected-remark@below {{offset = 0, size = 64}}
      %b = ttg.local_alloc : () -> !buffer
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      // expected-remark@below {{offset = 64, size = 64}}
      %a = ttg.local_alloc : () -> !buffer
      // expected-remark@below {{offset = 64, size = 64}}
      %b = ttg.local_alloc : () -> !buffer
      ttg.warp_return
    }
    partition1() num_warps(2) {
      // expected-remark@below {{virtual offset = 128, size = 64}}
      tt.call @callee() : () -> ()
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  // expected-remark@below {{callee}}
  // expected-remark@below {{size = 64}}
  tt.func private @callee() {
    // expected-remark@below {{offset = 0, size = 64}}
    %a = ttg.local_alloc : () -> !buffer
    tt.return
  }

  // Captured buffers are live while any region runs; the memory for other captures only until the partitions have started.
  // expected-remark@below {{captured}}
  // expected-remark@below {{scratch offset = 128, size = 1}}
  // expected-remark@below {{size = 129}}
  tt.func public @captured(%n: i32) {
    // expected-remark@below {{offset = 0, size = 64}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{scratch offset = 64, size = 4}}
    ttg.warp_specialize(%a, %n)
    default {
      // expected-remark@below {{offset = 64, size = 64}}
      %b = ttg.local_alloc : () -> !buffer
      "use"(%b) : (!buffer) -> ()
      ttg.warp_yield
    }
    partition0(%x: !buffer, %m: i32) num_warps(1) {
      "use"(%x) : (!buffer) -> ()
      ttg.warp_return
    } : (!buffer, i32) -> ()
    tt.return
  }
}

// -----

// Operands of bulk copies are at multiples of 128 bytes for any encoding: each of these has 64.
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!box = !ttg.memdesc<8x8xi8, #plain, #smem, mutable>
!tile = !tt.tensordesc<tensor<8x8xi8, #plain>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@below {{bulk}}
  // expected-remark@below {{size = 448}}
  tt.func public @bulk(%d: !tile, %i: i32) {
    // expected-remark@below {{size = 64}}
    %a = ttg.local_alloc : () -> !box
    // expected-remark@below {{size = 64}}
    %b = ttg.local_alloc : () -> !box
    // expected-remark@below {{size = 64}}
    %c = ttg.local_alloc : () -> !box
    // expected-remark@below {{size = 64}}
    %e = ttg.local_alloc : () -> !box
    // expected-remark@below {{offset = 64, size = 64}}
    %free = ttg.local_alloc : () -> !box
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tile, !box
    ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tile, !box
    ttng.async_tma_reduce add, %d[%i, %i] %c : !tile, !box
    ttng.async_tma_reduce add, %d[%i, %i] %e : !tile, !box
    "use"(%a, %b, %c, %e, %free) : (!box, !box, !box, !box, !box) -> ()
    tt.return
  }
}
