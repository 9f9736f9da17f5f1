// RUN: nereid-opt %s --nereid-strip-hints | FileCheck %s --check-prefix=ALL
// RUN: nereid-opt %s --nereid-strip-hints=arguments-only=true | FileCheck %s --check-prefix=ARGS
// RUN: nereid-opt %s --nereid-strip-hints="only=tt.divisibility max-divisibility=4" | FileCheck %s --check-prefix=WEAK
// RUN: nereid-opt %s --nereid-strip-hints="only=tt.contiguity,tt.constancy" | FileCheck %s --check-prefix=ONLY
// RUN: not nereid-opt %s --nereid-strip-hints=max-divisibility=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: max-divisibility must not be negative

// ALL-LABEL: tt.func public @f
// ALL-SAME: (%{{.*}}: !tt.ptr<f32>, %{{.*}}: i32)
// ARGS-LABEL: tt.func public @f
// ARGS-SAME: (%{{.*}}: !tt.ptr<f32>, %{{.*}}: i32)
// WEAK-LABEL: tt.func public @f
// WEAK-SAME: !tt.ptr<f32> {tt.divisibility = 4 : i32}, %{{.*}}: i32 {tt.divisibility = 2 : i32}
// ONLY-LABEL: tt.func public @f
// ONLY-SAME: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32 {tt.divisibility = 2 : i32}
tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 2 : i32}) {
  // ALL: arith.addi %{{.*}}, %{{.*}} : i32
  // ARGS: arith.addi %{{.*}} {tt.contiguity = 4 : i32}
  // WEAK: arith.addi %{{.*}} {tt.contiguity = 4 : i32}
  // ONLY: arith.addi %{{.*}}, %{{.*}} : i32
  %0 = arith.addi %n, %n {tt.contiguity = 4 : i32} : i32
  tt.return
}
