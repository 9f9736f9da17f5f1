/* The branches of a kernel's warps to its own code and to the partitions of ttg.warp_specialize. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DISPATCH_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DISPATCH_H

#include "base/vector.h"
#include "conversion/ttg_to_llvm/function/blocks.h"

enum { NEREID_DISPATCH_DISMISSED = 255 /* the state of a warp that is to return; less is a partition */ };

/* A kernel with ttg.warp_specialize while it is converted. */
typedef struct nereid_dispatch {
  nereid_lower_t lower;       /* of the kernel's own warps; its prologue is the header, which all warps execute */
  MlirOperation kernel;       /* the llvm.func */
  bool cluster;               /* its partitions access the shared memory of other CTAs */
  int32_t others;             /* warps beyond the kernel's own */
  MlirValue warp;             /* i32, in the CTA */
  MlirBlock work;             /* where the other warps wait */
  nereid_blocks_t partitions; /* the first block of each partition of the kernel */
} nereid_dispatch_t;

/* --- dispatch.c --- */

/* Creates the header, a new entry of the kernel: the kernel's own warps branch to the old entry, the others to `work`.
 * Operations without effects move from the old entry to the header, so that all warps have their results. */
void nereid_dispatch_begin(nereid_dispatch_t *dispatch);

/* Emits, in `work`, the code by which the other warps begin partitions. */
void nereid_dispatch_end(nereid_dispatch_t *dispatch);

/* Emits, before the terminator `end` of the kernel, a llvm.return, code by which the other warps return, too. */
void nereid_dispatch_dismiss(nereid_dispatch_t *dispatch, MlirOperation end);

/* Replaces `op`, a ttg.warp_specialize of LLVM ops for which nereid_dispatch_check holds. False after a diagnostic, or
 * if out of memory. */
bool nereid_dispatch_replace(nereid_dispatch_t *dispatch, MlirOperation op);

/* --- registers.c --- */

/* Whether the registers of the regions of `op` can be allocated by its warps; false after a diagnostic. */
bool nereid_dispatch_check_registers(nereid_lower_t *lower, MlirOperation op);

/* Emits, at lower->builder, the reallocation of registers where region `region` of `op` begins or ends: 0 is the
 * default region, i + 1 partition i. Nothing without registers in the op and ttg.maxnreg in the module. */
void nereid_dispatch_emit_registers(nereid_lower_t *lower, MlirOperation op, intptr_t region, bool begins);

/* --- captures.c --- */

/* The captures of a ttg.warp_specialize in shared memory. */
typedef struct nereid_dispatch_captures {
  MlirOperation op;
  int64_t *offsets; /* bytes from the op's allocation.offset, by capture; -1: all warps have the value */
  bool any;         /* at least one is stored */
} nereid_dispatch_captures_t;

/* Assigns offsets to the captures that the other warps do not have. False after a diagnostic if the op's allocation is
 * too small, or if out of memory. */
bool nereid_dispatch_place_captures(nereid_dispatch_t *dispatch, MlirOperation op, nereid_dispatch_captures_t *out);

/* Emits, at lower->builder, stores of these captures. */
void nereid_dispatch_store_captures(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures);

/* Replaces the arguments of a partition's `entry` by loads at lower->builder, or by the values from outside. */
void nereid_dispatch_load_captures(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures, MlirBlock entry);

#endif
