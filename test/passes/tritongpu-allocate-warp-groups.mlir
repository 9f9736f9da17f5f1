// Assignment of warps and registers to partitions.
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// The pass is idempotent.
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups --tritongpu-allocate-warp-groups | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups --tritongpu-allocate-warp-groups=registers=false | FileCheck %s --check-prefix=NONE
// NONE-NOT: actualRegisters
// RUN: not nereid-opt %S/Inputs/warp_groups_invalid.mlir --split-input-file --tritongpu-allocate-warp-groups 2>&1 | FileCheck %s --check-prefix=BAD

// No partitions: nothing changes.
// CHECK: module attributes {"ttg.num-warps" = 4 : i32} {
module attributes {"ttg.num-warps" = 4 : i32} {
}

// -----

// 13 additional warps are rounded up to 16; larger partitions first; empty partitions get the remaining warps.
// CHECK: module attributes {"ttg.num-warps" = 4 : i32, "ttg.total-num-warps" = 20 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @kernel(%x: i32) {
  // CHECK: ttg.warp_specialize(%{{.*}}) attributes {warpGroupStartIds = array<i32: 18, 4, 12, 16, 19>}
  ttg.warp_specialize(%x)
  default {
    ttg.warp_yield
  }
  partition0(%y: i32) num_warps(1) {
    // CHECK: tt.assert
    %c = arith.cmpi eq, %y, %y : i32
    tt.assert %c, "" : i1
    ttg.warp_return
  }
  partition1(%y: i32) num_warps(8) {
    ttg.warp_return
  }
  partition2(%y: i32) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  // CHECK: partition3(%{{.*}}: i32) num_warps(2) {
  // CHECK-NEXT: ttg.warp_return
  // CHECK: partition4(%{{.*}}: i32) num_warps(1) {
  tt.return
}
}

// -----

// All warp_specialize ops of a module use the same total number of warps.
// CHECK: "ttg.total-num-warps" = 16 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @several() {
  // CHECK: warpGroupStartIds = array<i32: 12, 14, 4, 15>
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  }
  partition1() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  // CHECK: warpGroupStartIds = array<i32: 14, 4, 12, 15>
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  }
  partition1() num_warps(8) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// A warp group gets the largest request of its warps, the default region the registers that remain.
// CHECK: ttg.maxnreg = 168 : i32
module attributes {"ttg.num-warps" = 8 : i32} {
tt.func @gives() {
  // CHECK: actualRegisters = array<i32: 208, 80, 80, 80>
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 48, 77, 48>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  }
  partition1() num_warps(2) {
    ttg.warp_return
  }
  partition2() num_warps(1) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// The default region gets fewer than at launch.
// CHECK: ttg.maxnreg = 128 : i32
module attributes {"ttg.num-warps" = 8 : i32} {
tt.func @takes() {
  // CHECK: actualRegisters = array<i32: 64, 192>
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 192>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(8) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// The limits: at most 256 for the default region, at least 24 for partitions, at most 255 per thread.
// CHECK: ttg.maxnreg = 255 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @limits() {
  // CHECK: actualRegisters = array<i32: 256, 24, 24>
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 8>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// The module's attribute is used when it is below the hardware limit.
// CHECK: ttg.maxnreg = 100 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.maxnreg = 100 : i32} {
tt.func @said() {
  // CHECK: actualRegisters = array<i32: 176, 24>
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
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

// WARN: warning: maxnreg is 255, but a CTA has 65536 registers, 168 for each thread of 12 warps: 168 are used
// CHECK: ttg.maxnreg = 168 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.maxnreg = 255 : i32} {
tt.func @said_too_much() {
  // CHECK: actualRegisters = array<i32: 256, 80>
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 80>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(8) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// The requests exceed the register file: all warps keep their launch count.
// WARN: warning: the partitions request 65536 registers, and the default region needs at least 3072, but the CTA is launched with 64512: the requests are ignored
// CHECK-NOT: ttg.maxnreg
// CHECK-NOT: actualRegisters
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @too_much() {
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 256>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(8) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// BAD: error: 'ttg.warp_specialize' op needs 36 warps, 32 of them for partitions: expected at most 32
// BAD: error: 'ttg.warp_specialize' op has 2 register counts, expected one per partition, 1
// BAD: error: 'ttg.warp_specialize' op requests 264 registers for each thread of partition 1: expected 0 to 256
// BAD: error: 'ttg.warp_specialize' op needs the number of warps of its default region: expected ttg.num-warps on the module

// -----

// A kernel without partitions whose CTA could not be launched.
// WARN: warning: maxnreg is 255, but a CTA has 65536 registers, 128 for each thread of 16 warps: 128 are used
// CHECK: ttg.maxnreg = 128 : i32
module attributes {"ttg.num-warps" = 16 : i32, ttg.maxnreg = 255 : i32} {
tt.func @many_threads() {
  tt.return
}
}
