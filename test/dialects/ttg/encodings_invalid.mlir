// Errors in an encoding are reported at the start of its text.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{order must be a permutation of 0 to rank - 1}}
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 1]}>

// -----

// expected-error @+1 {{sizePerThread has 3, expected powers of two}}
#e = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @+1 {{sizePerThread covers more than 2^31 elements}}
#e = #ttg.blocked<{sizePerThread = [65536, 65536], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// -----

// expected-error @+1 {{threadsPerWarp has 1 numbers, expected 2, one per dimension}}
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32], warpsPerCTA = [4, 1], order = [1, 0]}>

// -----

// expected-error @+1 {{#ttg.blocked expects key 'warpsPerCTA' with an array}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], order = [0]}>

// -----

// expected-error @+1 {{#ttg.blocked has an unknown key 'wave'}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], wave = 64}>

// -----

// expected-error @+1 {{#ttg.blocked expects key 'order' with an array of at most 32 nonnegative numbers}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [-1]}>

// -----

// expected-error @+1 {{#ttg.blocked expects CTAsPerCGA, CTASplitNum and CTAOrder together}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [2]}>

// -----

// expected-error @+1 {{powers of two in CTAsPerCGA and CTASplitNum, the latter not larger}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [2], CTASplitNum = [4], CTAOrder = [0]}>

// -----

// expected-error @+1 {{expected one of the two spellings}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [1], CTASplitNum = [1], CTAOrder = [0], CGALayout = []}>

// -----

// expected-error @+1 {{expects vector 0 of 'CGALayout' to be an array of 1 numbers}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1, 0]]}>

// -----

// expected-error @+1 {{the vectors reach 2^1 of the 2^2 elements that they span, expected all}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[2]]}>

// -----

// expected-error @+1 {{vector 1 of lane moves along several dimensions, expected at most one}}
#e = #ttg.linear<{register = [], lane = [[0, 1], [1, 2], [0, 4], [1, 0], [2, 0]], warp = [], block = []}>

// -----

// expected-error @+1 {{vector 0 of warp moves along several dimensions, expected at most one}}
#e = #ttg.linear<{register = [[0, 1]], lane = [], warp = [[1, 1]], block = []}>

// -----

// expected-error @+1 {{vector 0 of lane moves along several dimensions, expected at most one}}
#e = #ttg.generic_linear<{register = [[0, 1]], lane = [[1, 1]], warp = [], block = []}>

// -----

// expected-error @+1 {{vector 0 of block moves along several dimensions, expected at most one}}
#e = #ttg.generic_linear<{register = [[0, 1]], lane = [], warp = [], block = [[1, 1]]}>

// -----

// expected-error @+1 {{the vectors reach 2^2 of the 2^3 elements that they span, expected all}}
#e = #ttg.generic_linear<{register = [[1, 0]], lane = [], warp = [[2, 1]], block = []}>

// -----

// expected-error @+1 {{#ttg.generic_linear has an unknown key 'cluster'}}
#e = #ttg.generic_linear<{register = [[1]], lane = [], warp = [], block = [], cluster = []}>

// -----

// expected-error @+1 {{the vectors reach 2^1 of the 2^2 elements that they span, expected all}}
#e = #ttg.linear<{register = [[3]], lane = [], warp = [], block = []}>

// -----

// expected-error @+1 {{the vectors reach 2^1 of the 2^2 elements that they span, expected all}}
#e = #ttg.linear<{register = [[2]], lane = [], warp = [], block = []}>

// -----

// expected-error @+1 {{an encoding of no vectors is not supported}}
#e = #ttg.linear<{register = [], lane = [], warp = [], block = []}>

// -----

// expected-error @+1 {{#ttg.linear expects key 'block' with an array of at most 32 vectors}}
#e = #ttg.linear<{register = [[1]], lane = [], warp = []}>

// -----

// expected-error @+1 {{expects vector 1 of 'lane' to be an array of 2 numbers, one per dimension}}
#e = #ttg.linear<{register = [], lane = [[0, 1], [1]], warp = [], block = []}>

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{parent has rank 1, expected at least 2}}
#e = #ttg.slice<{dim = 0, parent = #b}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @+1 {{dim is 2, expected less than the parent's rank 2}}
#e = #ttg.slice<{dim = 2, parent = #b}>

// -----

// expected-error @+1 {{expects key 'parent' with the encoding of a tensor}}
#e = #ttg.slice<{dim = 0, parent = #ttg.shared_memory}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @+1 {{opIdx is 2, expected 0 or 1}}
#e = #ttg.dot_op<{opIdx = 2, parent = #b}>

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @+1 {{kWidth is not supported when the parent is #ttg.blocked}}
#e = #ttg.dot_op<{opIdx = 0, parent = #b, kWidth = 2}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// expected-error @+1 {{kWidth is required when the parent is #ttg.nvidia_mma}}
#e = #ttg.dot_op<{opIdx = 0, parent = #mma}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// expected-error @+1 {{opIdx must be 0 when the parent is version 3: wgmma takes only the left operand from registers}}
#e = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#s = #ttg.slice<{dim = 0, parent = #mma}>
// expected-error @+1 {{expects key 'parent' with #ttg.nvidia_mma or #ttg.blocked}}
#e = #ttg.dot_op<{opIdx = 0, parent = #s, kWidth = 2}>

// -----

// expected-error @+1 {{versionMajor 5 is not supported: sm_80 to sm_90 have 2 (mma.sync) and 3 (wgmma)}}
#e = #ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [128, 128, 16]}>

// -----

// expected-error @+1 {{instrShape is [64, 64, 16], expected [16, N, K] for wgmma: 16 rows per warp, and N a power of two from 8 to 256}}
#e = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [64, 64, 16]}>

// -----

// expected-error @+1 {{instrShape is [16, 24, 16], expected [16, N, K] for wgmma}}
#e = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 24, 16]}>

// -----

// expected-error @+1 {{instrShape ends in 16, 16, expected 16, 8 for mma.sync, or 8, 8 for f64}}
#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16]}>

// -----

// expected-error @+1 {{instrShape has 2 numbers, expected 3}}
#e = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>

// -----

// expected-error @+1 {{warpsPerCTA has 3, expected powers of two}}
#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [3, 1], instrShape = [16, 8]}>

// -----

// expected-error @+1 {{vec, perPhase and maxPhase are 8, 3 and 8, expected powers of two}}
#e = #ttg.swizzled_shared<{vec = 8, perPhase = 3, maxPhase = 8, order = [1, 0]}>

// -----

// expected-error @+1 {{#ttg.swizzled_shared expects key 'vec' with a nonnegative number}}
#e = #ttg.swizzled_shared<{perPhase = 1, maxPhase = 8, order = [1, 0]}>

// -----

// expected-error @+1 {{swizzlingByteWidth is 16, expected 0, 32, 64 or 128}}
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>

// -----

// expected-error @+1 {{#ttg.nvmma_shared expects true or false for key 'transposed'}}
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = 1, elementBitWidth = 16}>

// -----

// expected-error @+1 {{rank is 0, expected 1 to 32}}
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16, rank = 0}>

// -----

// expected-error @+1 {{the list of intervals has 3, expected powers of two}}
#e = #ttg.padded_shared<[3:+2] {order = [0], shape = [8]}>

// -----

// expected-error @+1 {{interval 4 is given twice}}
#e = #ttg.padded_shared<[4:+2, 4:+4] {order = [0], shape = [8]}>

// -----

// expected-error @+1 {{expects order to be a permutation of the dimensions of shape}}
#e = #ttg.padded_shared<[4:+2] {order = [0, 1], shape = [8]}>

// -----

// expected-error @+1 {{a zero vector is not supported here: shared memory holds each element once}}
#e = #ttg.padded_shared<[4:+2] {offset = [[1], [0]], block = []}>

// -----

// expected-error @+1 {{expects [interval:+padding, ...] before its keys}}
#e = #ttg.padded_shared<{order = [0], shape = [8]}>

// -----

// expected-error @+1 {{alignment is 24, expected a power of two}}
#e = #ttg.shared_linear<{offset = [[1]]}, alignment = 24>

// -----

// expected-error @+1 {{nonzero vectors must be independent}}
#e = #ttg.shared_linear<{offset = [[1], [2], [3]]}, alignment = 16>

// -----

// expected-error @+1 {{expects `, alignment = <bytes>` after its braces}}
#e = #ttg.shared_linear<{offset = [[1]]}>

// -----

// expected-error @+1 {{#ttg.blocked has an unknown key 'alignment'}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}, alignment = 4>

// -----

// expected-error @+1 {{expects key 'order' with an array of at most 32 nonnegative numbers}}
#e = #ttg.padded_shared<[4:+2] {order = [-1, 0], shape = [8, 8]}>

// -----

// expected-error @+1 {{expects powers of two in shape}}
#e = #ttg.padded_shared<[4:+2] {order = [0], shape = [2147483647]}>

// -----

// expected-error @+1 {{expects [interval:+padding, ...] before its keys}}
#e = #ttg.padded_shared<{dim = 1, parent = 0}>
