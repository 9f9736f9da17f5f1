// Calls: inlining, `noinline`, removal of private functions without callers.
// RUN: nereid-opt %s --inline --symbol-dce | FileCheck %s

// CHECK-NOT: @unused
tt.func private @unused() {
  tt.return
}

// CHECK-NOT: @straight
tt.func private @straight(%x: f32) -> f32 attributes {noinline = false} {
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}

// CHECK-NOT: @branchy
tt.func private @branchy(%c: i1, %x: f32) -> f32 attributes {noinline = false} {
  cf.cond_br %c, ^early, ^late
^early:
  tt.return %x : f32
^late:
  %0 = arith.negf %x : f32
  tt.return %0 : f32
}

// CHECK-LABEL: tt.func private @kept
tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  %0 = arith.mulf %x, %x : f32
  tt.return %0 : f32
}

// CHECK-LABEL: tt.func public @kernel
// CHECK: arith.addf
// CHECK: cf.cond_br %{{.*}}, ^[[NEXT:bb[0-9]+]](%{{.*}} : f32), ^[[LATE:bb[0-9]+]]
// CHECK: ^[[LATE]]:
// CHECK: arith.negf
// CHECK: cf.br ^[[NEXT]](
// CHECK: ^[[NEXT]](
// CHECK: tt.call @kept
tt.func public @kernel(%p: !tt.ptr<f32>, %c: i1, %x: f32) {
  %0 = tt.call @straight(%x) : (f32) -> f32
  %1 = tt.call @branchy(%c, %0) : (i1, f32) -> f32
  %2 = tt.call @kept(%1) : (f32) -> f32
  tt.store %p, %2 : !tt.ptr<f32>
  tt.return
}
