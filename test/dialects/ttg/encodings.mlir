// Every encoding has one printed form, independent of the order of its keys and the spelling of its CTA layout.
// RUN: nereid-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: nereid-opt --allow-unregistered-dialect %s | nereid-opt --allow-unregistered-dialect | FileCheck %s
// RUN: nereid-opt --allow-unregistered-dialect --mlir-print-op-generic %s | nereid-opt --allow-unregistered-dialect | FileCheck %s
// RUN: nereid-opt --allow-unregistered-dialect --emit-bytecode %s | nereid-opt --allow-unregistered-dialect | FileCheck %s

#unaliased = #ttg.slice<{parent = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>, dim = 1}>

// Three spellings of a single CTA: no CTA layout is printed.
// CHECK: #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #blocked1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = {{\[\[}}0]]}>
// CHECK: #blocked2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0], CGALayout = {{\[\[}}0, 1], [1, 0], [0, 0]]}>
// CHECK: #blocked3 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
// CHECK: #linear = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 0]], block = []}>
// CHECK: #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK: #mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = {{\[\[}}0, 1]], instrShape = [16, 128, 16]}>
// CHECK: #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK: #shared1 = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], CGALayout = {{\[\[}}1, 0]]}>
// CHECK: #shared2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #shared3 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = {{\[\[}}0, 1, 0]]}>
// CHECK: #shared4 = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 3}>
// CHECK: #shared5 = #ttg.padded_shared<[32:+4, 64:+8] {order = [1, 0], shape = [16, 32]}>
// CHECK: #shared6 = #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [2, 4]}>
// CHECK: #shared7 = #ttg.padded_shared<[4:+4] {offset = {{\[\[}}0, 1], [2, 0], [1, 0]], block = []}>
// CHECK: #shared8 = #ttg.padded_shared<[4:+4] {offset = {{\[\[}}0, 1]], block = {{\[\[}}1, 0]]}>
// CHECK: #shared9 = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 16>
// CHECK: #shared10 = #ttg.shared_linear<{offset = {{\[\[}}0, 1]], block = {{\[\[}}1, 0]]}, alignment = 128>
// CHECK: #smem = #ttg.shared_memory
// CHECK: "test.blocked"() {
// CHECK-SAME: a = #blocked, b = #blocked, c = #blocked, d = #blocked1, e = #blocked2
// CHECK: "test.distributed"() {
// CHECK-SAME: a = #linear, b = #mma, c = #mma1,
// CHECK-SAME: d = #ttg.slice<{dim = 1, parent = #blocked3}>,
// CHECK-SAME: e = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #blocked4}>}>,
// CHECK-SAME: f = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>, g = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module {
  "test.blocked"() {
    a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>,
    b = #ttg.blocked<{order = [1, 0], CTAOrder = [0, 1], CTASplitNum = [1, 1], CTAsPerCGA = [1, 1], warpsPerCTA = [4, 1],
                      threadsPerWarp = [4, 8], sizePerThread = [1, 8]}>,
    c = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0],
                      CGALayout = []}>,
    // CTAs that hold replicated elements.
    d = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [2],
                      CTASplitNum = [1], CTAOrder = [0]}>,
    // Dimension 1 first, two CTAs along it; then four along dimension 0, two of them replicated.
    e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0],
                      CTAsPerCGA = [4, 2], CTASplitNum = [2, 2], CTAOrder = [1, 0]}>
  } : () -> ()
  "test.distributed"() {
    a = #ttg.linear<{block = [], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], register = [[0, 1], [8, 0]],
                     warp = [[16, 0], [0, 0]]}>,
    b = #ttg.nvidia_mma<{instrShape = [16, 8], versionMajor = 2, warpsPerCTA = [2, 2]}>,
    c = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16],
                         CTAsPerCGA = [1, 2], CTASplitNum = [1, 2], CTAOrder = [1, 0]}>,
    d = #unaliased,
    e = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1],
        threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>}>}>,
    f = #ttg.dot_op<{kWidth = 2, opIdx = 0,
                     parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>}>,
    g = #ttg.dot_op<{opIdx = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8],
                     warpsPerCTA = [4, 1], order = [1, 0]}>, kWidth = 0}>
  } : () -> ()
  "test.shared"() {
    a = #ttg.swizzled_shared<{order = [1, 0], vec = 8, perPhase = 1, maxPhase = 8}>,
    b = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], CGALayout = [[1, 0]]}>,
    c = #ttg.nvmma_shared<{swizzlingByteWidth = 128}>,
    d = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = true,
                           CGALayout = [[0, 1, 0]]}>,
    e = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 3}>,
    f = #ttg.padded_shared<[32:+4, 64:+8] {order = [1, 0], shape = [16, 32]}>,
    g = #ttg.padded_shared<[2:+2] {offset = [[0, 1], [0, 2], [1, 0]], block = []}>,
    h = #ttg.padded_shared<[4:+4] {offset = [[0, 1], [2, 0], [1, 0]], block = []}>,
    i = #ttg.padded_shared<[4:+4] {offset = [[0, 1]], block = [[1, 0]]}>,
    j = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]], block = []}, alignment = 16>,
    k = #ttg.shared_linear<{offset = [[0, 1]], block = [[1, 0]]}, alignment = 128>,
    l = #ttg.shared_memory
  } : () -> ()
}
