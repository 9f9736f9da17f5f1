// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file > %t.before
// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-hoist-tmem-alloc | diff %t.before -
