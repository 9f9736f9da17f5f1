/* Interface of the conversion from ttg to the LLVM dialect for op families.
 *
 *   %x : tensor<1024xf32, #blocked>        %x.0, %x.1 … %x.7 : f32      one LLVM value per register of a thread
 *   %y = arith.addf %x, %x                 %y.0 = llvm.fadd %x.0, %x.0 …
 *
 * A tensor is an array of per-thread values in a side map, never an LLVM struct, so no packing and unpacking has to be
 * folded later. Registers with equal values (a splat, a broadcast dimension) share one MlirValue, and
 * elementwise ops are emitted once per distinct operand tuple.
 *
 * An op family is one .c file with a table of rows; a row names the op and the static function that lowers it. The
 * function reads the operands' values, emits at lower->builder, and sets the results' values. It returns false after a
 * diagnostic at the op. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_LOWER_H
#define NEREID_CONVERSION_TTG_TO_LLVM_LOWER_H

#include "conversion/ttg_to_llvm/context.h"
#include "conversion/ttg_to_llvm/coordinates.h"
#include "conversion/ttg_to_llvm/frames.h"
#include "conversion/ttg_to_llvm/globals.h"
#include "conversion/ttg_to_llvm/types.h"
#include "conversion/ttg_to_llvm/values.h"

/* The families. Each table ends with a row of kind NEREID_OP_UNKNOWN. */
extern const nereid_lower_row_t nereid_lower_arith_rows[];
extern const nereid_lower_row_t nereid_lower_float_cast_rows[];
extern const nereid_lower_row_t nereid_lower_math_rows[];
extern const nereid_lower_row_t nereid_lower_constant_rows[];
extern const nereid_lower_row_t nereid_lower_view_rows[];
extern const nereid_lower_row_t nereid_lower_memory_rows[];
extern const nereid_lower_row_t nereid_lower_atomic_rows[];
extern const nereid_lower_row_t nereid_lower_atomic_access_rows[];
extern const nereid_lower_row_t nereid_lower_async_copy_rows[];
extern const nereid_lower_row_t nereid_lower_shared_rows[];
extern const nereid_lower_row_t nereid_lower_indexed_rows[];
extern const nereid_lower_row_t nereid_lower_dot_rows[];
extern const nereid_lower_row_t nereid_lower_wgmma_rows[];
extern const nereid_lower_row_t nereid_lower_program_rows[];
extern const nereid_lower_row_t nereid_lower_extern_rows[];
extern const nereid_lower_row_t nereid_lower_debug_rows[];
extern const nereid_lower_row_t nereid_lower_control_flow_rows[];
extern const nereid_lower_row_t nereid_lower_call_rows[];
extern const nereid_lower_row_t nereid_lower_warp_specialize_rows[];
extern const nereid_lower_row_t nereid_lower_mbarrier_rows[];
extern const nereid_lower_row_t nereid_lower_tma_rows[];
extern const nereid_lower_row_t nereid_lower_tensormap_rows[];
extern const nereid_lower_row_t nereid_lower_convert_layout_rows[];
extern const nereid_lower_row_t nereid_lower_reduce_rows[];
extern const nereid_lower_row_t nereid_lower_scan_rows[];
extern const nereid_lower_row_t nereid_lower_histogram_rows[];
extern const nereid_lower_row_t nereid_lower_gather_rows[];
extern const nereid_lower_row_t nereid_lower_pair_rows[];
extern const nereid_lower_row_t nereid_lower_map_rows[];
extern const nereid_lower_row_t nereid_lower_fp4_rows[];

#endif
