// The options of MlirOptMain work with a pass written in C.

// RUN: nereid-opt %s --split-input-file --verify-diagnostics --nereid-strip-hints=max-divisibility=-1
// RUN: nereid-opt %s --split-input-file --pass-pipeline='builtin.module(nereid-strip-hints{max-divisibility=8},cse)' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: nereid-opt %s --split-input-file --nereid-strip-hints --mlir-print-ir-before=nereid-strip-hints --mlir-print-ir-after=nereid-strip-hints -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: nereid-opt %s --split-input-file --nereid-strip-hints --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: nereid-opt %s --split-input-file --nereid-strip-hints --remarks-filter-analyse=nereid-strip-hints -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: nereid-opt %s --nereid-strip-hints --remarks-filter=.* --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null && FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: not nereid-opt %s --nereid-strip-hints=unknown=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not nereid-opt %s --pass-pipeline='builtin.module(no-such-pass)' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: nereid-opt --help | FileCheck %s --check-prefix=HELP
// RUN: nereid-opt --print-pass-docs | FileCheck %s --check-prefix=DOCS
// RUN: nereid-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS

// PIPELINE: nereid-strip-hints{arguments-only=false max-divisibility=8 only=}
// PIPELINE-SAME: {{$}}
// PRINT: IR Dump Before nereid-strip-hints
// PRINT: tt.divisibility = 16
// PRINT: IR Dump After nereid-strip-hints
// PRINT-NOT: tt.divisibility
// PRINT: tt.return
// TIMING: nereid-strip-hints
// REMARK: remark: [Analysis] hints-changed | Category:nereid-strip-hints | hints-changed=1
// YAML: --- !Analysis
// YAML: hints-changed: '1'
// OPTION: no such option unknown
// PASS: 'no-such-pass' does not refer to a registered pass
// HELP-DAG: --nereid-strip-hints {{.*}}Removes or weakens hints
// HELP-DAG: --max-divisibility=<long>
// HELP-DAG: --canonicalize
// HELP-DAG: --convert-arith-to-llvm
// HELP-DAG: --convert-cf-to-llvm
// HELP-DAG: --convert-index-to-llvm
// HELP-DAG: --convert-math-to-llvm
// HELP-DAG: --convert-scf-to-cf
// HELP-DAG: --control-flow-sink
// HELP-DAG: --cse
// HELP-DAG: --inline
// HELP-DAG: --int-range-optimizations
// HELP-DAG: --loop-invariant-code-motion
// HELP-DAG: --mem2reg
// HELP-DAG: --print-op-stats
// HELP-DAG: --reconcile-unrealized-casts
// HELP-DAG: --sccp
// HELP-DAG: --strip-debuginfo
// HELP-DAG: --symbol-dce
// DOCS: ## `nereid-strip-hints`
// DOCS: Removes or weakens hints {{.*}} Runs on `builtin.module`.
// DOCS: - `max-divisibility`: {{.*}}; default `0`.
// DOCS: - `arguments-only`: {{.*}}; default `false`.
// DIALECTS: arith,builtin,cf,{{.*}}gpu,llvm,math,nereid,{{.*}}nvvm,{{.*}}scf,tt,ttg,ttng,ub

// expected-error@below {{max-divisibility must not be negative}}
module {
  tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    tt.return
  }
}

// -----

// expected-error@below {{max-divisibility must not be negative}}
module {
  tt.func public @g() {
    tt.return
  }
}
