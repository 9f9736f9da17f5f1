// RUN: nereid-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --test-print-alias -o /dev/null

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A select aliases both operands; a view aliases its source.
  tt.func @subsets(%c: i1, %i: i32) {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<3x128xf32, #shared, #smem, mutable>
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    // expected-remark@below {{%2 -> %0}}
    %v = ttg.memdesc_index %a[%i] : !ttg.memdesc<3x128xf32, #shared, #smem, mutable> -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    // expected-remark@below {{%3 -> %0,%1}}
    %s = arith.select %c, %v, %b : !ttg.memdesc<128xf32, #shared, #smem, mutable>
    // expected-remark@below {{%4 -> %1}}
    %w = ttg.memdesc_subslice %b[64] : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> !ttg.memdesc<64xf32, #shared, #smem, mutable, 128>
    tt.return
  }

  // Each argument of a function is a distinct buffer.
  tt.func private @arguments(%c: i1, %p: !ttg.memdesc<128xf32, #shared, #smem, mutable>, %q: !ttg.memdesc<128xf32, #shared, #smem, mutable>) -> !ttg.memdesc<128xf32, #shared, #smem, mutable> {
    // expected-remark@below {{%0 -> %arg1,%arg2}}
    %s = arith.select %c, %p, %q : !ttg.memdesc<128xf32, #shared, #smem, mutable>
    tt.return %s : !ttg.memdesc<128xf32, #shared, #smem, mutable>
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Iteration arguments that swap alias both buffers; one that is only passed through aliases its own.
  tt.func @exchange(%n: i32, %c0: i32, %c1: i32) {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%2 -> %2}}
    %c = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%arg4 -> %0}}
    // expected-remark@below {{%arg5 -> %1}}
    // expected-remark@below {{%arg6 -> %2}}
    // expected-remark@below {{%3#0 -> %0,%1}}
    // expected-remark@below {{%3#1 -> %0,%1}}
    // expected-remark@below {{%3#2 -> %2}}
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c) -> (!buffer, !buffer, !buffer) : i32 {
      // expected-remark@below {{%4 -> %0,%1}}
      %v = ttg.memdesc_subslice %x[0] : !buffer -> !buffer
      scf.yield %y, %x, %z : !buffer, !buffer, !buffer
    }
    tt.return
  }

  // scf.while: results come from the operands of scf.condition.
  tt.func @while(%c: i1) {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%2 -> %1}}
    %r = scf.while (%x = %a) : (!buffer) -> !buffer {
      // expected-remark@below {{%3 -> %0}}
      %v = ttg.memdesc_subslice %x[0] : !buffer -> !buffer
      scf.condition(%c) %b : !buffer
    } do {
    ^body(%y: !buffer):
      // expected-remark@below {{%3 -> %1}}
      %v = ttg.memdesc_subslice %y[0] : !buffer -> !buffer
      scf.yield %a : !buffer
    }
    tt.return
  }

  // Results alias the values of all cases and regions, block arguments those of all branches; poison aliases nothing.
  tt.func @cases(%i: index, %c: i1) {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    %p = ub.poison : !buffer
    // expected-remark@below {{%3 -> %0,%1}}
    %s = scf.index_switch %i -> !buffer
    case 0 {
      scf.yield %a : !buffer
    }
    case 7 {
      scf.yield %p : !buffer
    }
    default {
      scf.yield %b : !buffer
    }
    // expected-remark@below {{%4 -> %0}}
    %e = scf.execute_region -> !buffer {
      cf.cond_br %c, ^one(%a : !buffer), ^one(%p : !buffer)
    ^one(%x: !buffer):
      scf.yield %x : !buffer
    }
    tt.return
  }

  // Blocks in any order.
  tt.func @order(%c: i1) {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    cf.br ^second(%a : !buffer)
  ^third(%x: !buffer):
    // expected-remark@below {{%2 -> %0,%4}}
    %v = ttg.memdesc_subslice %x[0] : !buffer -> !buffer
    // expected-remark@below {{%1 -> %0,%4}}
    cf.br ^second(%v : !buffer)
  ^second(%y: !buffer):
    // expected-remark@below {{%4 -> %4}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%5 -> %0,%4}}
    %s = arith.select %c, %y, %b : !buffer
    // expected-remark@below {{%3 -> %0,%4}}
    cf.cond_br %c, ^third(%s : !buffer), ^end
  ^end:
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<128xf32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Partition arguments alias captures; results alias the values that the default region yields.
  tt.func @partitions() {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%2 -> %1}}
    %r = ttg.warp_specialize(%a)
    default {
      ttg.warp_yield %b : !buffer
    }
    partition0(%x: !buffer) num_warps(4) {
      // expected-remark@below {{%3 -> %0}}
      %v = ttg.memdesc_subslice %x[0] : !buffer -> !buffer
      ttg.warp_return
    } : (!buffer) -> !buffer
    tt.return
  }

  // The result of a call aliases the values that the callee returns, not all operands.
  tt.func @call() {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%2 -> %1}}
    %r = tt.call @second(%a, %b) : (!buffer, !buffer) -> !buffer
    tt.return
  }
  tt.func private @second(%x: !buffer, %y: !buffer) -> !buffer {
    tt.return %y : !buffer
  }

  // The result of an unknown op may alias each of its operands.
  tt.func @unknown() {
    // expected-remark@below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@below {{%1 -> %0}}
    %r = "who.knows"(%a) : (!buffer) -> !buffer
    tt.return
  }
}
