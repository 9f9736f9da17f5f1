// RUN: nereid-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --test-liveness -o /dev/null

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Live from the allocation to the last use, through views; a use in a loop extends to the whole loop.
  tt.func @loop(%n: i32, %c0: i32, %c1: i32) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0,%1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0,%1}}
    "use"(%b) : (!buffer) -> ()
    // Once for the loop, once for its end.
    // expected-remark@below {{live: %0}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark@below {{live: %0}}
      %v = ttg.memdesc_subslice %a[0] : !buffer -> !buffer
      // expected-remark@below {{live: %0}}
      "use"(%v) : (!buffer) -> ()
      // expected-remark@below {{live: %0,%3}}
      %c = ttg.local_alloc : () -> !buffer
      // expected-remark@below {{live: %0}}
      "other"() : () -> ()
    }
    tt.return
  }

  // A value passed to the next iteration is live at the loop's end and start, but not before its definition.
  tt.func @carried(%c: i1) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0}}
    cf.br ^loop(%a : !buffer)
  ^loop(%x: !buffer):
    // expected-remark@below {{live: %0,%2}}
    "use"(%x) : (!buffer) -> ()
    "other"() : () -> ()
    // expected-remark@below {{live: %2}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %2}}
    cf.cond_br %c, ^loop(%b : !buffer), ^end
  ^end:
    tt.return
  }

  // In a branch without uses the buffer is live only when it is used after both branches.
  tt.func @branches(%c: i1) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0,%1}}
    %b = ttg.local_alloc : () -> !buffer
    // Once for the op, once for the end of each branch.
    // expected-remark@below {{live: %0,%1}}
    // expected-remark@below {{live: %0}}
    scf.if %c {
      // expected-remark@below {{live: %0,%1}}
      "use"(%b) : (!buffer) -> ()
    } else {
      // expected-remark@below {{live: %0}}
      "other"() : () -> ()
    }
    // expected-remark@below {{live: %0}}
    "use"(%a) : (!buffer) -> ()
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The minimum number of groups over all paths counts: one branch commits a group, the other does not.
  tt.func @ways(%p: tensor<128x!tt.ptr<f32>, #line>, %c: i1) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0}}
    %t = ttg.async_copy_global_to_local %p, %a : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    // expected-remark@below {{live: %0}}
    %g = ttg.async_commit_group
    // expected-remark@below {{live: %0}}
    scf.if %c {
      // expected-remark@below {{live: %0}}
      %h = ttg.async_commit_group
    }
    // expected-remark@below {{live: %0}}
    %w = ttg.async_wait {num = 1 : i32}
    // expected-remark@below {{live: %0}}
    %v = ttg.async_wait {num = 0 : i32}
    tt.return
  }

  tt.func @other_ways(%p: tensor<128x!tt.ptr<f32>, #line>, %c: i1) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0}}
    %t = ttg.async_copy_global_to_local %p, %a : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    // expected-remark@below {{live: %0}}
    %g = ttg.async_commit_group
    // expected-remark@below {{live: %0}}
    scf.if %c {
    } else {
      // expected-remark@below {{live: %0}}
      %h = ttg.async_commit_group
    }
    // expected-remark@below {{live: %0}}
    %w = ttg.async_wait {num = 1 : i32}
    // expected-remark@below {{live: %0}}
    %v = ttg.async_wait {num = 0 : i32}
    tt.return
  }

  // A wait does not cover uncommitted copies; copies that a function leaves in flight are in flight in its callers.
  tt.func private @leaves(%p: tensor<128x!tt.ptr<f32>, #line>) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{live: %0}}
    %t = ttg.async_copy_global_to_local %p, %a : tensor<128x!tt.ptr<f32>, #line> -> !buffer
    // expected-remark@below {{live: %0}}
    %w = ttg.async_wait {num = 0 : i32}
    // expected-remark@below {{live: %0}}
    tt.return
  }
  tt.func @has(%p: tensor<128x!tt.ptr<f32>, #line>) {
    // expected-remark@below {{live: frame}}
    tt.call @leaves(%p) : (tensor<128x!tt.ptr<f32>, #line>) -> ()
    // expected-remark@below {{live: frame}}
    %g = ttg.async_commit_group
    // expected-remark@below {{live: frame}}
    %w = ttg.async_wait {num = 0 : i32}
    "other"() : () -> ()
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // An asynchronous dot reads its operands until a wait leaves only as many pending as were issued after it.
  tt.func @product(%acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-remark@below {{live: %0,%1}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-remark@below {{live: %0,%1}}
    %x = ttng.warp_group_dot %a, %a, %acc {isAsync = true} : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
    // expected-remark@below {{live: %0,%1}}
    %y = ttng.warp_group_dot %b, %b, %x {isAsync = true} : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
    // expected-remark@below {{live: %0,%1}}
    %v = ttng.warp_group_dot_wait %y {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    // expected-remark@below {{live: %1}}
    %w = ttng.warp_group_dot_wait %v {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    tt.return %w : tensor<64x64xf32, #mma>
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Copies that arrive at an mbarrier are complete at the last wait for it. Others need a wait for their group.
  tt.func @arrives(%p: tensor<128x!tt.ptr<f32>, #line>, %phase: i32) {
    // expected-remark@below {{live: %0}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1,%2}}
    %c = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1,%2}}
    %x = ttg.async_copy_global_to_local %p, %a : tensor<128x!tt.ptr<f32>, #line> -> <128xf32, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1,%2}}
    ttng.async_copy_mbarrier_arrive %b {noIncrement} : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1,%2}}
    %y = ttg.async_copy_global_to_local %p, %c : tensor<128x!tt.ptr<f32>, #line> -> <128xf32, #plain, #smem, mutable>
    // expected-remark@below {{live: %0,%1,%2}}
    ttng.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // expected-remark@below {{live: %2}}
    tt.return
  }
}
