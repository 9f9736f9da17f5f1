/* Dots with exchanged operands: d^T = b^T a^T.
 *
 *   %d = tt.dot %a, %b, %acc                               %e = tt.dot (trans %b), (trans %a), (trans %acc)
 *                                                    ->    %d = tt.trans %e
 *
 * Few rows become few columns, which wgmma has. A loop that only carries the accumulator carries the transposed one:
 * the dot can then stay in flight until the next iteration. */
#ifndef NEREID_PASSES_DOT_EXCHANGED_DOT_H
#define NEREID_PASSES_DOT_EXCHANGED_DOT_H

#include <mlir-c/IR.h>

/* Replaces `dot`, a tt.dot of rank 2 or 3, by the transposed one, which is returned. `a` and `b` are its operands
 * before conversions of their layouts. */
MlirOperation nereid_dot_exchange(MlirOperation dot, MlirValue a, MlirValue b);

#endif
