/* Translates the effects of a callee to the caller's bytes.
 *
 *   tt.func private @f(%b: !ttg.memdesc<…>) { local_load %b … convert_layout … }
 *     entry {space 1: read}    exit {[0, 512): read}      no path without a barrier
 *   tt.call @f(%a) {allocation.offset = 2048}
 *     the bytes of %a are read, then [2048, 2560) */
#ifndef NEREID_ANALYSIS_MEMBAR_SUMMARY_H
#define NEREID_ANALYSIS_MEMBAR_SUMMARY_H

#include "analysis/membar/membar_state.h"

/* Binds `summary`, of the callee of `call`, to the buffers that the call passes. `callee` is the callee's slicer,
 * `global` its global-memory analysis, or null. Lives in the arena of `context`, the caller's context. */
void nereid_membar_summary_bind(const nereid_membar_context_t *context, MlirOperation call,
                                const nereid_slicer_t *callee, const nereid_membar_global_t *global,
                                const nereid_membar_summary_t *summary, nereid_membar_summary_t *out);

/* Makes arguments share a space when a call passes overlapping memory: lowers entries of `spaces`, by argument, for the
 * operands of `call`. */
void nereid_membar_summary_share(nereid_slicer_t *caller, MlirOperation call, uint32_t *spaces);

#endif
