// RUN: nereid-opt %s --tritongpu-optimize-accumulator-init | FileCheck %s
// RUN: nereid-opt %s --tritongpu-optimize-accumulator-init --remarks-filter-passed=tritongpu-optimize-accumulator-init 2>&1 | FileCheck %s --check-prefix=REMARK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#operand = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!acc = tensor<64x32xf32, #mma>
!a = !ttg.memdesc<64x32xf16, #operand, #smem>
!b = !ttg.memdesc<32x32xf16, #operand, #smem>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @zeros(
// CHECK: %[[FALSE:.*]] = arith.constant false
// CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}}, %[[FALSE]] {note}
// REMARK: remark: [Passed] zero
tt.func public @zeros(%a: !a, %b: !b) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %d = ttng.warp_group_dot %a, %b, %z {note} : !a * !b -> !acc
  tt.return %d : !acc
}

// CHECK-LABEL: @ones(
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} :
tt.func public @ones(%a: !a, %b: !b) -> !acc {
  %z = arith.constant dense<1.0> : !acc
  %d = ttng.warp_group_dot %a, %b, %z : !a * !b -> !acc
  tt.return %d : !acc
}

// CHECK-LABEL: @selected(
// CHECK-SAME: %[[C:arg[0-9]+]]: i1, %[[X:arg[0-9]+]]: tensor
// CHECK-NOT: arith.select
// CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[X]], %[[C]] :
// REMARK: remark: [Passed] reset
tt.func public @selected(%a: !a, %b: !b, %c: i1, %x: !acc) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %s = arith.select %c, %x, %z : !acc
  %d = ttng.warp_group_dot %a, %b, %s : !a * !b -> !acc
  tt.return %d : !acc
}

// The flag that the dot has stays in force.
// CHECK-LABEL: @selected_with_flag(
// CHECK-SAME: %[[C:arg[0-9]+]]: i1, %[[F:arg[0-9]+]]: i1, %[[X:arg[0-9]+]]: tensor
// CHECK: %[[N:.*]] = arith.xori %[[C]],
// CHECK: %[[BOTH:.*]] = arith.andi %[[F]], %[[N]]
// CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[X]], %[[BOTH]] :
tt.func public @selected_with_flag(%a: !a, %b: !b, %c: i1, %f: i1, %x: !acc) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %cs = tt.splat %c : i1 -> tensor<64x32xi1, #mma>
  %s = arith.select %cs, %z, %x : tensor<64x32xi1, #mma>, !acc
  %d = ttng.warp_group_dot %a, %b, %s, %f : !a * !b -> !acc
  tt.return %d : !acc
}

// A constant trip count: the first iteration ignores the zeros.
// CHECK-LABEL: @first_iteration(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[KEEP:.*]] = %false
// CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]], %[[KEEP]] :
// CHECK: scf.yield %[[D]], %true
// REMARK: remark: [Passed] carried
tt.func public @first_iteration(%a: !a, %b: !b) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %z) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc : !a * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// No iteration may be executed: zeros are the result. A flag would not save them.
// CHECK-LABEL: @dynamic_count(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[^,]*]] = %{{[^,]*}}) ->
// CHECK: ttng.warp_group_dot %{{[^,]*}}, %{{[^,]*}}, %[[ACC]] :
tt.func public @dynamic_count(%a: !a, %b: !b, %n: i32) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc : !a * !b -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// A loop over tiles and their parts, with the store of a finished tile in a branch.
// CHECK-LABEL: @tiles(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[KEEP:.*]] = %false
// CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]], %[[KEEP]] :
// CHECK: scf.if %[[LAST:[0-9]+]]
// CHECK: tt.store %{{.*}}, %{{.*}}
// CHECK: %[[NOT:.*]] = arith.xori %[[LAST]], %true
// CHECK: scf.yield %[[D]], %[[NOT]]
// CHECK-NOT: arith.select
// CHECK: tt.return
tt.func public @tiles(%a: !a, %b: !b, %n: i32, %p: tensor<64x32x!tt.ptr<f32>, #blocked>) {
  %z = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc : !a * !b -> !acc
    %part = arith.remui %i, %c5 : i32
    %last = arith.cmpi eq, %part, %c1 : i32
    %next = scf.if %last -> (!acc) {
      %x = ttg.convert_layout %d : !acc -> tensor<64x32xf32, #blocked>
      tt.store %p, %x : tensor<64x32x!tt.ptr<f32>, #blocked>
      scf.yield %z : !acc
    } else {
      scf.yield %d : !acc
    }
    scf.yield %next : !acc
  }
  tt.return
}

// A user after the loop sees zeros when the last iteration has cleared the accumulator.
// CHECK-LABEL: @used_after(
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %true
// CHECK: %[[S:.*]] = arith.select %[[R]]#1, %[[R]]#0, %{{.*}} : tensor
// CHECK: tt.return %[[S]]
tt.func public @used_after(%a: !a, %b: !b, %n: i32, %x: !acc) -> !acc {
  %z = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc : !a * !b -> !acc
    %more = arith.cmpi ne, %i, %c5 : i32
    %next = arith.select %more, %d, %z : !acc
    scf.yield %next : !acc
  }
  tt.return %r : !acc
}

// Another user of the accumulator, and a dot that a branch skips.
// CHECK-LABEL: @kept(
// CHECK: arith.select
// CHECK: arith.select
// CHECK: tt.return
tt.func public @kept(%a: !a, %b: !b, %n: i32, %p: tensor<64x32x!tt.ptr<f32>, #mma>) {
  %z = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (!acc, !acc) : i32 {
    %even = arith.cmpi eq, %i, %c5 : i32
    tt.store %p, %x : tensor<64x32x!tt.ptr<f32>, #mma>
    %d = ttng.warp_group_dot %a, %b, %x : !a * !b -> !acc
    %e = scf.if %even -> (!acc) {
      %f = ttng.warp_group_dot %a, %b, %y : !a * !b -> !acc
      scf.yield %f : !acc
    } else {
      scf.yield %y : !acc
    }
    %s = arith.select %even, %z, %d : !acc
    %t = arith.select %even, %z, %e : !acc
    scf.yield %s, %t : !acc, !acc
  }
  tt.return
}
}
