// Integers and floats, one element per thread: each op becomes the LLVM op or sequence that docs/numerics.md specifies.
// RUN: nereid-opt %s --convert-triton-to-tritongpu --convert-triton-gpu-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func internal @addi(
// CHECK: llvm.add %arg0, %arg1 : i32
tt.func private @addi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.addi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @subi(
// CHECK: llvm.sub %arg0, %arg1 : i32
tt.func private @subi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.subi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @muli(
// CHECK: llvm.mul %arg0, %arg1 : i32
tt.func private @muli(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.muli %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @shli(
// CHECK: llvm.shl %arg0, %arg1 : i32
tt.func private @shli(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.shli %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @divsi(
// CHECK: llvm.sdiv %arg0, %arg1 : i32
tt.func private @divsi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.divsi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @divui(
// CHECK: llvm.udiv %arg0, %arg1 : i32
tt.func private @divui(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.divui %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @remsi(
// CHECK: llvm.srem %arg0, %arg1 : i32
tt.func private @remsi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.remsi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @remui(
// CHECK: llvm.urem %arg0, %arg1 : i32
tt.func private @remui(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.remui %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @andi(
// CHECK: llvm.and %arg0, %arg1 : i32
tt.func private @andi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.andi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @ori(
// CHECK: llvm.or %arg0, %arg1 : i32
tt.func private @ori(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.ori %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @xori(
// CHECK: llvm.xor %arg0, %arg1 : i32
tt.func private @xori(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.xori %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @shrsi(
// CHECK: llvm.ashr %arg0, %arg1 : i32
tt.func private @shrsi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.shrsi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @shrui(
// CHECK: llvm.lshr %arg0, %arg1 : i32
tt.func private @shrui(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.shrui %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @maxsi(
// CHECK: llvm.intr.smax(%arg0, %arg1) : (i32, i32) -> i32
tt.func private @maxsi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.maxsi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @maxui(
// CHECK: llvm.intr.umax(%arg0, %arg1) : (i32, i32) -> i32
tt.func private @maxui(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.maxui %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @minsi(
// CHECK: llvm.intr.smin(%arg0, %arg1) : (i32, i32) -> i32
tt.func private @minsi(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.minsi %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @minui(
// CHECK: llvm.intr.umin(%arg0, %arg1) : (i32, i32) -> i32
tt.func private @minui(%a: tensor<128xi32>, %b: tensor<128xi32>) -> tensor<128xi32> {
  %y = arith.minui %a, %b : tensor<128xi32>
  tt.return %y : tensor<128xi32>
}

// CHECK-LABEL: llvm.func internal @overflow(
// CHECK: %[[X:.*]] = llvm.add %arg0, %arg1 overflow<nsw> : i64
// CHECK: %[[Y:.*]] = llvm.mul %[[X]], %arg1 overflow<nsw, nuw> : i64
// CHECK: llvm.shl %[[Y]], %arg1 overflow<nuw> : i64
tt.func private @overflow(%a: i64, %b: i64) -> i64 {
  %x = arith.addi %a, %b overflow<nsw> : i64
  %y = arith.muli %x, %b overflow<nsw, nuw> : i64
  %z = arith.shli %y, %b overflow<nuw> : i64
  tt.return %z : i64
}

// CHECK-LABEL: llvm.func internal @ceildivui(
// (a - 1) / b + 1, but 0 for 0: a + b - 1 would overflow.
// CHECK: %[[LESS:.*]] = llvm.sub %arg0, %{{.*}} : i32
// CHECK: %[[Q:.*]] = llvm.udiv %[[LESS]], %arg1 : i32
// CHECK: %[[ZERO:.*]] = llvm.icmp "eq" %arg0
// CHECK: %[[Q1:.*]] = llvm.add %[[Q]]
// CHECK: llvm.select %[[ZERO]], %{{.*}}, %[[Q1]]
tt.func private @ceildivui(%a: i32, %b: i32) -> i32 {
  %y = arith.ceildivui %a, %b : i32
  tt.return %y : i32
}

// CHECK-LABEL: llvm.func internal @ceildivsi(
// CHECK: %[[Q:.*]] = llvm.sdiv %arg0, %arg1 : i32
// CHECK: %[[INEXACT:.*]] = llvm.icmp "ne"
// CHECK: %[[XOR:.*]] = llvm.xor %arg0, %arg1
// CHECK: %[[DIFFER:.*]] = llvm.icmp "slt" %[[XOR]]
// CHECK: %[[AGREE:.*]] = llvm.xor %[[DIFFER]]
// CHECK: %[[MOVE:.*]] = llvm.and %[[INEXACT]], %[[AGREE]]
// CHECK: %[[UP:.*]] = llvm.add %[[Q]]
// CHECK: llvm.select %[[MOVE]], %[[UP]], %[[Q]]
tt.func private @ceildivsi(%a: i32, %b: i32) -> i32 {
  %y = arith.ceildivsi %a, %b : i32
  tt.return %y : i32
}

// CHECK-LABEL: llvm.func internal @floordivsi(
// CHECK: %[[Q:.*]] = llvm.sdiv %arg0, %arg1 : i32
// CHECK: %[[INEXACT:.*]] = llvm.icmp "ne"
// CHECK: %[[DIFFER:.*]] = llvm.icmp "slt"
// CHECK: %[[MOVE:.*]] = llvm.and %[[INEXACT]], %[[DIFFER]]
// CHECK: %[[DOWN:.*]] = llvm.add %[[Q]]
// CHECK: llvm.select %[[MOVE]], %[[DOWN]], %[[Q]]
tt.func private @floordivsi(%a: i32, %b: i32) -> i32 {
  %y = arith.floordivsi %a, %b : i32
  tt.return %y : i32
}

// CHECK-LABEL: llvm.func internal @addui_extended(
// CHECK: %[[SUM:.*]] = llvm.add %arg0, %arg1 : i32
// The sum is below an operand exactly when it wrapped.
// CHECK: llvm.icmp "ult" %[[SUM]], %arg0
tt.func private @addui_extended(%a: i32, %b: i32) -> (i32, i1) {
  %y, %z = arith.addui_extended %a, %b : i32, i1
  tt.return %y, %z : i32, i1
}

// CHECK-LABEL: llvm.func internal @mului_extended(
// CHECK: llvm.mul %arg0, %arg1 : i32
// CHECK: %[[A:.*]] = llvm.zext %arg0 : i32 to i64
// CHECK: %[[B:.*]] = llvm.zext %arg1 : i32 to i64
// CHECK: llvm.mul %[[A]], %[[B]] : i64
// CHECK: llvm.lshr
// CHECK: llvm.trunc %{{.*}} : i64 to i32
tt.func private @mului_extended(%a: i32, %b: i32) -> (i32, i32) {
  %y, %z = arith.mului_extended %a, %b : i32
  tt.return %y, %z : i32, i32
}

// CHECK-LABEL: llvm.func internal @mulsi_extended(
// CHECK: llvm.mul %arg0, %arg1 : i32
// CHECK: %[[A:.*]] = llvm.sext %arg0 : i32 to i64
// CHECK: %[[B:.*]] = llvm.sext %arg1 : i32 to i64
// CHECK: llvm.mul %[[A]], %[[B]] : i64
// CHECK: llvm.lshr
// CHECK: llvm.trunc %{{.*}} : i64 to i32
tt.func private @mulsi_extended(%a: i32, %b: i32) -> (i32, i32) {
  %y, %z = arith.mulsi_extended %a, %b : i32
  tt.return %y, %z : i32, i32
}

// CHECK-LABEL: llvm.func internal @mulhiui(
// CHECK: llvm.call_intrinsic "llvm.nvvm.mulhi.ui"(%arg0, %arg0)
// CHECK: llvm.call_intrinsic "llvm.nvvm.mulhi.ull"(%arg1, %arg1)
// CHECK: llvm.zext %arg2 : i16 to i32
// CHECK: llvm.mul %{{.*}} : i32
// CHECK: llvm.trunc %{{.*}} : i32 to i16
tt.func private @mulhiui(%a: i32, %b: i64, %c: i16) -> (i32, i64, i16) {
  %x = tt.mulhiui %a, %a : i32
  %y = tt.mulhiui %b, %b : i64
  %z = tt.mulhiui %c, %c : i16
  tt.return %x, %y, %z : i32, i64, i16
}

// CHECK-LABEL: llvm.func internal @compare(
// CHECK: llvm.icmp "slt" %arg0, %arg1
// CHECK: llvm.icmp "uge" %arg0, %arg1
// CHECK: llvm.fcmp "oeq" %arg2, %arg3
// CHECK: llvm.fcmp "une" %arg2, %arg3
// CHECK: llvm.fcmp "_true" %arg2, %arg3
tt.func private @compare(%a: i32, %b: i32, %x: f32, %y: f32) -> i1 {
  %0 = arith.cmpi slt, %a, %b : i32
  %1 = arith.cmpi uge, %a, %b : i32
  %2 = arith.cmpf oeq, %x, %y : f32
  %3 = arith.cmpf une, %x, %y : f32
  %4 = arith.cmpf true, %x, %y : f32
  %5 = arith.andi %0, %1 : i1
  %6 = arith.andi %2, %3 : i1
  %7 = arith.andi %5, %6 : i1
  %8 = arith.andi %7, %4 : i1
  tt.return %8 : i1
}

// CHECK-LABEL: llvm.func internal @select(
// CHECK: %[[X:.*]] = llvm.select %arg0, %arg2, %arg3 : i1, i8
// CHECK: llvm.select %arg1, %[[X]], %arg3 : i1, i8
tt.func private @select(%m: tensor<128xi1>, %s: i1, %a: tensor<128xf8E5M2>, %b: tensor<128xf8E5M2>) -> tensor<128xf8E5M2> {
  %0 = arith.select %m, %a, %b : tensor<128xi1>, tensor<128xf8E5M2>
  %1 = arith.select %s, %0, %b : tensor<128xf8E5M2>
  tt.return %1 : tensor<128xf8E5M2>
}

// CHECK-LABEL: llvm.func internal @addf(
// CHECK: llvm.fadd %arg0, %arg1 {fastmathFlags = #llvm.fastmath<contract>} : f32
tt.func private @addf(%a: f32, %b: f32) -> f32 {
  %y = arith.addf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @subf(
// CHECK: llvm.fsub %arg0, %arg1 {fastmathFlags = #llvm.fastmath<contract>} : f32
tt.func private @subf(%a: f32, %b: f32) -> f32 {
  %y = arith.subf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @mulf(
// CHECK: llvm.fmul %arg0, %arg1 {fastmathFlags = #llvm.fastmath<contract>} : f32
tt.func private @mulf(%a: f32, %b: f32) -> f32 {
  %y = arith.mulf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @divf(
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%arg0, %arg1)
// CHECK: llvm.fdiv %arg2, %arg3 : f64
// CHECK: %[[E:.*]] = llvm.fpext %arg4 : f16 to f32
// CHECK: %[[F:.*]] = llvm.fpext %arg5 : f16 to f32
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.div.rn.f"(%[[E]], %[[F]])
// CHECK: llvm.fptrunc %[[Q]] : f32 to f16
tt.func private @divf(%a: f32, %b: f32, %c: f64, %d: f64, %e: f16, %f: f16) -> (f32, f64, f16) {
  %x = arith.divf %a, %b : f32
  %y = arith.divf %c, %d : f64
  %z = arith.divf %e, %f : f16
  tt.return %x, %y, %z : f32, f64, f16
}

// CHECK-LABEL: llvm.func internal @remf(
// CHECK: llvm.frem %arg0, %arg1 : f32
tt.func private @remf(%a: f32, %b: f32) -> f32 {
  %y = arith.remf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @negf(
// CHECK: llvm.fneg %arg0 : f32
tt.func private @negf(%a: f32) -> f32 {
  %y = arith.negf %a : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @maximumf(
// CHECK: llvm.intr.maximum(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @maximumf(%a: f32, %b: f32) -> f32 {
  %y = arith.maximumf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @minimumf(
// CHECK: llvm.intr.minimum(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @minimumf(%a: f32, %b: f32) -> f32 {
  %y = arith.minimumf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @maxnumf(
// CHECK: llvm.intr.maxnum(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @maxnumf(%a: f32, %b: f32) -> f32 {
  %y = arith.maxnumf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @minnumf(
// CHECK: llvm.intr.minnum(%arg0, %arg1) : (f32, f32) -> f32
tt.func private @minnumf(%a: f32, %b: f32) -> f32 {
  %y = arith.minnumf %a, %b : f32
  tt.return %y : f32
}

// CHECK-LABEL: llvm.func internal @width(
// CHECK: llvm.sext %arg0 : i8 to i32
// CHECK: llvm.zext %arg0 : i8 to i32
// CHECK: llvm.trunc %arg1 : i64 to i1
tt.func private @width(%a: i8, %b: i64) -> (i32, i32, i1) {
  %x = arith.extsi %a : i8 to i32
  %y = arith.extui %a : i8 to i32
  %z = arith.trunci %b : i64 to i1
  tt.return %x, %y, %z : i32, i32, i1
}

// CHECK-LABEL: llvm.func internal @index(
// An index is an i32.
// CHECK: %[[J:.*]] = llvm.trunc %arg1 : i64 to i32
// CHECK: %[[K:.*]] = llvm.zext %arg2 : i16 to i32
// CHECK: %[[S:.*]] = llvm.add %arg0, %[[J]] : i32
// CHECK: %[[T:.*]] = llvm.add %[[S]], %[[K]] : i32
// CHECK: llvm.sext %[[T]] : i32 to i64
// CHECK: llvm.zext %[[S]] : i32 to i64
// CHECK: llvm.trunc %[[T]] : i32 to i16
tt.func private @index(%a: i32, %b: i64, %c: i16) -> (i64, i64, i16) {
  %i = arith.index_cast %a : i32 to index
  %j = arith.index_cast %b : i64 to index
  %k = arith.index_castui %c : i16 to index
  %s = arith.addi %i, %j : index
  %t = arith.addi %s, %k : index
  %x = arith.index_cast %t : index to i64
  %y = arith.index_castui %s : index to i64
  %z = arith.index_cast %t : index to i16
  tt.return %x, %y, %z : i64, i64, i16
}

// CHECK-LABEL: llvm.func internal @bits(
// CHECK: llvm.bitcast %arg0 : f32 to i32
// CHECK: llvm.bitcast %arg1 : i16 to bf16
// Pointers are opaque: a change of the pointee type is a no-op.
// CHECK-NOT: llvm.bitcast
// CHECK: %[[I:.*]] = llvm.ptrtoint %arg2 : !llvm.ptr<1> to i64
// CHECK: llvm.inttoptr %[[I]] : i64 to !llvm.ptr<1>
tt.func private @bits(%a: f32, %b: tensor<128xi16>, %p: !tt.ptr<f32>) -> (i32, tensor<128xbf16>, !tt.ptr<i8>, i64, !tt.ptr<f64>) {
  %x = arith.bitcast %a : f32 to i32
  %y = tt.bitcast %b : tensor<128xi16> -> tensor<128xbf16>
  %z = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  %i = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %q = tt.int_to_ptr %i : i64 -> !tt.ptr<f64>
  tt.return %x, %y, %z, %i, %q : i32, tensor<128xbf16>, !tt.ptr<i8>, i64, !tt.ptr<f64>
}

// Registers with equal values are computed once: those of a splat, and broadcast rows.
// CHECK-LABEL: llvm.func internal @once(
// CHECK-COUNT-1: llvm.mul
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func private @once(%s: i32) -> tensor<1024xi32> {
  %t = tt.splat %s : i32 -> tensor<1024xi32>
  %y = arith.muli %t, %t : tensor<1024xi32>
  tt.return %y : tensor<1024xi32>
}

// xor of an extended condition with an arbitrary integer, compared with 0: a select between comparisons of the integer.
// CHECK-LABEL: llvm.func internal @inverted_by_integer(
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[IS:.*]] = llvm.icmp "ne" %arg1, %[[ZERO]] : i32
// CHECK: %[[NOT:.*]] = llvm.icmp "ne" %arg1, %[[ONE]] : i32
// CHECK: llvm.select %arg0, %[[NOT]], %[[IS]] : i1, i1
tt.func private @inverted_by_integer(%c: i1, %f: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %0 = arith.extui %c : i1 to i32
  %1 = arith.xori %0, %f : i32
  %2 = arith.cmpi ne, %1, %zero : i32
  tt.return %2 : i1
}

// The integer is 0 or 1: one xor of conditions, for both forms of the comparison.
// CHECK-LABEL: llvm.func internal @inverted_by_bit(
// CHECK: %[[SET:.*]] = llvm.icmp "ne"
// CHECK-NEXT: llvm.xor %arg0, %[[SET]] : i1
// CHECK: %[[SET2:.*]] = llvm.icmp "ne"
// CHECK-NEXT: llvm.xor %arg0, %[[SET2]] : i1
// CHECK-NOT: llvm.select
// CHECK: llvm.return
tt.func private @inverted_by_bit(%c: i1, %d: i1, %x: i32) -> (i1, i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %0 = arith.extui %c : i1 to i32
  %1 = arith.extui %d : i1 to i32
  %2 = arith.andi %x, %two : i32
  %3 = arith.shrui %2, %one : i32
  %4 = arith.xori %3, %1 : i32
  %5 = arith.xori %0, %4 : i32
  %6 = arith.cmpi ne, %5, %zero : i32
  %7 = arith.ori %3, %one : i32
  %8 = arith.cmpi ne, %0, %7 : i32
  tt.return %6, %8 : i1, i1
}

// An integer of two bits: not 0 or 1.
// CHECK-LABEL: llvm.func internal @inverted_by_two_bits(
// CHECK: llvm.select
tt.func private @inverted_by_two_bits(%c: i1, %x: i32) -> i1 {
  %three = arith.constant 3 : i32
  %0 = arith.extui %c : i1 to i32
  %1 = arith.andi %x, %three : i32
  %2 = arith.cmpi ne, %0, %1 : i32
  tt.return %2 : i1
}
