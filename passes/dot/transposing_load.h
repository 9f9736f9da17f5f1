/* Layouts of loads whose elements are transposed on their way to shared memory.
 *
 *   %b = tt.load %p : tensor<32x128xf32, #row>                  N is contiguous in memory, wgmma reads K contiguous
 *   -> %b = tt.load %q : tensor<32x128xf32, #patch>             #patch: sizePerThread = [4, 4]
 *
 * A thread of #patch loads 4 adjacent elements of each of several rows and stores 16 bytes along the other dimension:
 * the transposition exchanges registers of the thread. */
#ifndef NEREID_PASSES_DOT_TRANSPOSING_LOAD_H
#define NEREID_PASSES_DOT_TRANSPOSING_LOAD_H

#include <mlir-c/IR.h>

#include <stdbool.h>

/* Gives the load that defines `value`, an operand of a dot whose buffer has the contiguous dimension `contiguous`, a
 * transposing layout. `value` stays the result of the load and has the new type; its uses get a conversion to the old
 * one. Returns false, with unchanged IR, when the load has a single element per access, is contiguous along
 * `contiguous` already, or has uses other than dots. */
bool nereid_dot_transpose_load(MlirValue value, int contiguous);

#endif
