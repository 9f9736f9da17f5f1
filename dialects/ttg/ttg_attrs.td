// Encodings: maps from threads and registers to elements of a tensor (distributed encodings), and from offsets in
// shared memory to elements (shared encodings). All are printed as `#ttg.<mnemonic><{key = value, ...}>`. Keys may be
// in any order; dialects/ttg/encoding/read_encoding.c checks them and normalizes both spellings of the CTA layout.
//
// Lists of basis vectors (`[[0, 1], [8, 0]]`) are an ArrayAttr of DenseI32ArrayAttr, one number per tensor dimension.
// The CTA layout of an encoding, `cgaLayout`, is such a list too: vector i is the position in the tensor of the part of
// CTA 2^i, in units of one CTA's part; [0, 0] means that the two CTAs hold the same elements. It is absent (null) when
// a cluster has one CTA, and never an empty array, so equal encodings are equal attributes.
#ifndef NEREID_TTG_ATTRS
#define NEREID_TTG_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "dialects/ttg/ttg_dialect.td"

class TTG_Attr<string name, string keyword> : AttrDef<TTG_Dialect, name> {
  let mnemonic = keyword;
}

class TTG_Encoding<string name, string keyword> : TTG_Attr<name # "Encoding", keyword> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// --- distributed encodings

def TTG_BlockedEncoding : TTG_Encoding<"Blocked", "blocked"> {
  let summary = "a box of elements per thread, a grid of threads per warp, a grid of warps";
  let description = [{
    Each thread holds `sizePerThread` adjacent elements, the threads of a warp form the grid `threadsPerWarp`, the warps
    the grid `warpsPerCTA`. All three grids are numbered with dimension `order[0]` fastest. A tensor larger than the
    area of all warps is covered by repeating it, a smaller one is replicated.

    `#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>`
  }];
  let parameters = (ins "DenseI32ArrayAttr":$sizePerThread, "DenseI32ArrayAttr":$threadsPerWarp,
                        "DenseI32ArrayAttr":$warpsPerCTA, "DenseI32ArrayAttr":$order,
                        OptionalParameter<"ArrayAttr">:$cgaLayout);
}

def TTG_LinearEncoding : TTG_Encoding<"Linear", "linear"> {
  let summary = "any layout that is linear over the bits of register, lane, warp and CTA number";
  let description = [{
    Element coordinates are the xor of one basis vector per set bit of the register, lane, warp and block (CTA) number.

    `#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]],
    block = []}>`
  }];
  let parameters = (ins "ArrayAttr":$registerBases, "ArrayAttr":$laneBases,
                        "ArrayAttr":$warpBases, "ArrayAttr":$blockBases);
}

def TTG_GenericLinearEncoding : TTG_Encoding<"GenericLinear", "generic_linear"> {
  let summary = "a linear layout with swizzled warps, or with an element at several places";
  let description = [{
    A layout like `linear`, of Triton 3.8 and later: the vector of a warp bit may move along several dimensions, and the
    vectors need not be independent. Together they reach every element.

    `#ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]],
    warp = [[16, 8], [0, 8]], block = []}>`

    Versions before 3.8 print it as `linear`, if no warp bit moves along several dimensions; versions from 3.8 on print
    `generic_linear` for a `linear` whose vectors are not independent or not powers of two.
  }];
  let parameters = (ins "ArrayAttr":$registerBases, "ArrayAttr":$laneBases,
                        "ArrayAttr":$warpBases, "ArrayAttr":$blockBases);
}

def TTG_SliceEncoding : TTG_Encoding<"Slice", "slice"> {
  let summary = "the parent encoding without one dimension";
  let description = [{
    The layout `parent` with dimension `dim` of size 1 removed: the layout of a reduction's result, and of the operand
    of `tt.expand_dims`. Threads whose positions in `parent` differ only in `dim` hold the same elements.
  }];
  let parameters = (ins "unsigned":$dim, "Attribute":$parent);
}

def TTG_DotOpEncoding : TTG_Encoding<"DotOperand", "dot_op"> {
  let summary = "operand of a dot whose result has the encoding `parent`";
  let description = [{
    `opIdx` 0 is the left operand (M by K), 1 the right one (K by N). `kWidth` is the number of adjacent elements along
    K per thread, in the element type of the tensor core instruction. It is 0 for a `blocked` parent, and printed when
    it is not 0.
  }];
  let parameters = (ins "unsigned":$opIdx, "Attribute":$parent, DefaultValuedParameter<"unsigned", "0">:$kWidth);
}

def TTG_NvidiaMmaEncoding : TTG_Encoding<"NvidiaMma", "nvidia_mma"> {
  let summary = "accumulator of a tensor core instruction";
  let description = [{
    `versionMajor` 2 is `mma.sync` (sm_80 and later), 3 is `wgmma` (sm_90a); `instrShape` is the instruction's shape: M
    and N for version 2 (16 and 8, or 8 and 8 for the m8n8k4 of f64), M, N and K for version 3. The fragments are those
    of the PTX ISA, "Matrix Fragments for mma.m16n8k16" and "Register Fragments for wgmma.mma_async".
  }];
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor, "DenseI32ArrayAttr":$warpsPerCTA,
                        OptionalParameter<"ArrayAttr">:$cgaLayout, "DenseI32ArrayAttr":$instrShape);
}

// --- shared encodings

def TTG_SwizzledSharedEncoding : TTG_Encoding<"SwizzledShared", "swizzled_shared"> {
  let summary = "rows whose groups of elements are permuted by an xor with the row number";
  let description = [{
    Dimension `order[0]` is contiguous. In row r the group g of `vec` elements is stored at the position of group
    g xor ((r / perPhase) mod maxPhase), so that a column of groups uses different banks. `maxPhase = 1` is the plain
    order.
  }];
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase, "DenseI32ArrayAttr":$order,
                        OptionalParameter<"ArrayAttr">:$cgaLayout);
}

def TTG_NvmmaSharedEncoding : TTG_Encoding<"NvmmaShared", "nvmma_shared"> {
  let summary = "operand of wgmma and box of a TMA copy";
  let description = [{
    The swizzle modes of TMA and wgmma (PTX ISA, "Shared Memory Matrix Layout"): 16-byte groups permuted within rows of
    `swizzlingByteWidth` bytes (0, 32, 64 or 128). `transposed`: dimension 0 is the contiguous one instead of the last.
    `rank` is the number of dimensions, printed when it is not 2 and the CTA layout does not determine it.
  }];
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth,
                        "bool":$fp4Padded, OptionalParameter<"ArrayAttr">:$cgaLayout, "unsigned":$rank);
}

def TTG_PaddedSharedEncoding : TTG_Encoding<"PaddedShared", "padded_shared"> {
  let summary = "elements in a linear order with gaps";
  let description = [{
    After each `intervals[i]` elements follow `paddings[i]` unused ones; several pairs are cumulative. The order of the
    elements is a linear map from the bits of the offset (and of the CTA). A plain order is printed as
    `{order = [1, 0], shape = [16, 32]}`, other maps as `{offset = [[0, 1], ...], block = []}`. `shape` is the shape
    that the bases span.
  }];
  let parameters = (ins "DenseI32ArrayAttr":$intervals, "DenseI32ArrayAttr":$paddings,
                        "ArrayAttr":$offsetBases, "ArrayAttr":$blockBases,
                        "DenseI64ArrayAttr":$shape);
}

def TTG_SharedLinearEncoding : TTG_Encoding<"SharedLinear", "shared_linear"> {
  let summary = "any shared layout that is linear over the bits of offset and CTA number";
  let description = [{
    Element coordinates are the xor of one basis vector per set bit of the offset (in elements) and of the CTA number;
    the buffer is aligned to `layoutAlignment` bytes.

    `#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>`
  }];
  let parameters = (ins "ArrayAttr":$offsetBases, "ArrayAttr":$blockBases, "unsigned":$layoutAlignment);
}

// --- memory spaces

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "memory space of buffers in shared memory";
}

#endif
