// RUN: nereid-opt %s --split-input-file --nereid-clone-by-axis-info | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-clone-by-axis-info=max-copies=2 | FileCheck %s --check-prefix=TWO
// RUN: nereid-opt %s --split-input-file --nereid-clone-by-axis-info --remarks-filter-passed=nereid-clone-by-axis-info \
// RUN:   --remarks-filter-analyse=nereid-clone-by-axis-info -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not nereid-opt %s --split-input-file --nereid-clone-by-axis-info=max-copies=0 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: max-copies must be at least 1

// Three calls with two sets of axis info: one clone. The first set keeps the original function.
// CHECK-LABEL: tt.func public @two_kinds
// CHECK-NEXT: tt.call @f(%arg0) :
// CHECK-NEXT: tt.call @[[COPY:f_[0-9]+]](%arg1) :
// CHECK-NEXT: tt.call @f(%arg2) :
// CHECK: tt.func private @f(
// CHECK: tt.func private @[[COPY]](
// CHECK-NEXT: tt.load
// CHECK-NOT: tt.func private

// COST: 'f' is called with 2 sets of facts about its arguments; clones: 1, of 3 operations each
// COST: functions: 3, were 2; operations: 12, were 9
tt.func public @two_kinds(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>,
                          %r: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  tt.call @f(%p) : (!tt.ptr<f32>) -> ()
  tt.call @f(%q) : (!tt.ptr<f32>) -> ()
  tt.call @f(%r) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func private @f(%p: !tt.ptr<f32>) attributes {noinline = true} {
  %0 = tt.load %p : !tt.ptr<f32>
  tt.return
}

// -----

// Callees of a clone are cloned, too, for the clone's axis info. With at most two copies, the third set of axis info of
// @h shares the first copy.
// CHECK-LABEL: tt.func public @chain
// CHECK-NEXT: tt.call @g(%arg0) :
// CHECK-NEXT: tt.call @[[G1:g_[0-9]+]](%arg1) :
// CHECK-NEXT: tt.call @[[G2:g_[0-9]+]](%arg2) :
// CHECK: tt.func private @g(
// CHECK-NEXT: tt.call @h(
// CHECK: tt.func private @h(
// CHECK-DAG: tt.func private @[[G1]](
// CHECK-DAG: tt.func private @[[G2]](
// CHECK-COUNT-2: tt.func private @h_
// CHECK-NOT: tt.func private
// TWO-LABEL: tt.func public @chain
// TWO-NEXT: tt.call @g(%arg0) :
// TWO-NEXT: tt.call @[[G1:g_[0-9]+]](%arg1) :
// TWO-NEXT: tt.call @g(%arg2) :
// TWO-COUNT-4: tt.func private
// TWO-NOT: tt.func private
tt.func public @chain(%a: i32 {tt.divisibility = 16 : i32}, %b: i32 {tt.divisibility = 8 : i32}, %c: i32) {
  tt.call @g(%a) : (i32) -> ()
  tt.call @g(%b) : (i32) -> ()
  tt.call @g(%c) : (i32) -> ()
  tt.return
}
tt.func private @g(%x: i32) attributes {noinline = true} {
  tt.call @h(%x) : (i32) -> ()
  tt.return
}
tt.func private @h(%x: i32) attributes {noinline = true} {
  %0 = arith.addi %x, %x : i32
  tt.return
}

// -----

// Constants alone do not cause a clone, nor does a call with equal axis info.
// CHECK-LABEL: tt.func public @constants
// TWO-LABEL: tt.func public @constants
// CHECK-COUNT-3: tt.call @k(
// CHECK: tt.func private @k(
// CHECK-NOT: tt.func
tt.func public @constants() {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  tt.call @k(%c3) : (i32) -> ()
  tt.call @k(%c5) : (i32) -> ()
  tt.call @k(%c3) : (i32) -> ()
  tt.return
}
tt.func private @k(%x: i32) attributes {noinline = true} {
  tt.return
}
