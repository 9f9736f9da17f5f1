/* Layouts of loads of operands that are in shared memory. Elements transposed on their way there:
 *
 *   %b = tt.load %p : tensor<32x128xf32, #row>                  N is contiguous in memory, wgmma reads K contiguous
 *   -> %b = tt.load %q : tensor<32x128xf32, #patch>             #patch: sizePerThread = [4, 4]
 *
 * A thread of #patch loads 4 adjacent elements of each of several rows and stores 16 bytes along the other dimension:
 * the transposition exchanges registers of the thread.
 *
 * From rows that are not aligned it loads one element of each: 16 rows of 8-bit elements.
 *
 * Other elements of 8 or 16 bits that are loaded one by one, as their rows are not aligned:
 *
 *   %b = tt.load %p : tensor<64x128xf16, #single>               #single: warpsPerCTA = [2, 4]
 *   -> %b = tt.load %q : tensor<64x128xf16, #rows>              #rows: warpsPerCTA = [8, 1]
 *
 * A warp of #rows loads whole rows, 32 adjacent elements at a time: elements of a thread in one row share their address
 * in registers, and each sector is read by few requests. Two adjacent elements per thread, which stmatrix could store,
 * are slower: requests with gaps read each sector twice (docs/tensor-cores.md).
 */
#ifndef NEREID_PASSES_DOT_OPERAND_LOAD_H
#define NEREID_PASSES_DOT_OPERAND_LOAD_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* Gives the load that defines `value`, an operand of a dot whose buffer has the contiguous dimension `contiguous`, a
 * transposing layout. `value` stays the result of the load and has the new type; its uses get a conversion to the old
 * one. Returns false, with unchanged IR, when the load is contiguous along `contiguous` already, is smaller than a
 * patch per thread, loads fewer than 4 elements of 4 bytes per access, or has uses other than dots. */
bool nereid_dot_transpose_load(MlirValue value, int contiguous);

/* Registers per thread of the elements of fewer than 4 bytes of `value`, if it is a load of one by one: one each. 0
 * otherwise. */
int64_t nereid_dot_single_registers(MlirValue value);

/* Gives the load that defines `value`, an operand of a dot, a layout in which a warp loads whole rows. `value` has the
 * new type, as above. Returns false, with unchanged IR, when its accesses have several elements, these have 32 bits or
 * more, it has uses other than dots, or it has such a layout. */
bool nereid_dot_load_rows(MlirValue value);

#endif
