// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-warp-specialize-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @foreign(%n: i32) attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  ttg.warp_specialize(%n) attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0(%m: i32) num_warps(4) {
    // expected-error @below {{'arith.addi' op is not of the LLVM dialect: run convert-triton-gpu-to-llvm first}}
    %x = arith.addi %m, %m : i32
    ttg.warp_return
  } : (i32) -> ()
  llvm.return
}
}

// -----

// Lowered by no pass yet.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
// expected-error @below {{'tt.func' op is not of the LLVM dialect: run convert-triton-gpu-to-llvm first}}
tt.func public @not_lowered() {
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @helper() {
  // expected-error @below {{'ttg.warp_specialize' op is in a function that is not a kernel: only kernels have warps for partitions}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @no_starts() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op has no warps for its partitions: run tritongpu-allocate-warp-groups first}}
  ttg.warp_specialize() attributes {allocation.offset = 0 : i32}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// A warp without a partition.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @left_over() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op leaves warps of the kernel without a partition, or gives them two: run tritongpu-allocate-warp-groups first}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 6>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  }
  partition1() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// A warp with two partitions.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @twice() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op leaves warps of the kernel without a partition, or gives them two}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 6, 7>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  }
  partition1() num_warps(2) {
    ttg.warp_return
  }
  partition2() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// Each warp has one partition, but some belong to the default region.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @own() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op leaves warps of the kernel without a partition, or gives them two}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 0>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(8) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// A capture was added that is not available to all warps.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @more_captures(%p: !llvm.ptr<1>) attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  %v = llvm.load %p : !llvm.ptr<1> -> i64
  // expected-error @below {{'ttg.warp_specialize' op passes 8 bytes to partitions, but has 4 in shared memory: captures beyond those that were allocated must be arguments or constants}}
  ttg.warp_specialize(%v) attributes {warpGroupStartIds = array<i32: 4>, allocation.offset = 16 : i32, allocation.size = 4 : i32}
  default {
    ttg.warp_yield
  }
  partition0(%a: i64) num_warps(4) {
    ttg.warp_return
  } : (i64) -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @vector(%p: !llvm.ptr<1>) attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  %v = llvm.load %p : !llvm.ptr<1> -> vector<2xi32>
  // expected-error @below {{'ttg.warp_specialize' op passes a value of type vector<2xi32> through shared memory: expected an integer, a float or a pointer}}
  ttg.warp_specialize(%v) attributes {warpGroupStartIds = array<i32: 4>, allocation.offset = 16 : i32, allocation.size = 8 : i32}
  default {
    ttg.warp_yield
  }
  partition0(%a: vector<2xi32>) num_warps(4) {
    ttg.warp_return
  } : (vector<2xi32>) -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @unplaced_capture(%p: !llvm.ptr<1>) attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  %v = llvm.load %p : !llvm.ptr<1> -> i32
  // expected-error @below {{'ttg.warp_specialize' op has no offset in shared memory: run allocate-shared-memory first}}
  ttg.warp_specialize(%v) attributes {warpGroupStartIds = array<i32: 4>, allocation.size = 4 : i32}
  default {
    ttg.warp_yield
  }
  partition0(%a: i32) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
// expected-error @below {{'llvm.func' op has no offset in shared memory: run allocate-shared-memory first}}
llvm.func @unplaced_states() attributes {nvvm.kernel} {
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32} {
llvm.func @returns() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    // expected-error @below {{'llvm.return' op is in a region of ttg.warp_specialize: expected ttg.warp_yield or ttg.warp_return}}
    llvm.return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @too_few() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op has 1 actualRegisters: expected 2, of the default region and each partition}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 240>, warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @step() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op has a region with 100 registers per thread: expected a multiple of 8 from 24 to 256}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 100, 24>, warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @least() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op has a region with 16 registers per thread: expected a multiple of 8 from 24 to 256}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 240, 16>, warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @group() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op gives the warps of one group of four 24 and 40 registers per thread: setmaxnreg applies to the group}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 240, 24, 40>, warpGroupStartIds = array<i32: 4, 6>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  }
  partition1() num_warps(2) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// More registers than the CTA has: the default region would wait for them for ever.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @more() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op has actualRegisters of 44032 registers in all: the CTA is launched with 43008, 168 per thread}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 240, 104>, warpGroupStartIds = array<i32: 4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}

// -----

// A partition of warps that do not exist.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", "ttg.total-num-warps" = 8 : i32, ttg.maxnreg = 168 : i32} {
llvm.func @nowhere() attributes {allocation.offset = 0 : i32, nvvm.kernel} {
  // expected-error @below {{'ttg.warp_specialize' op leaves warps of the kernel without a partition, or gives them two}}
  ttg.warp_specialize() attributes {actualRegisters = array<i32: 168, 168>, warpGroupStartIds = array<i32: -4>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  llvm.return
}
}
