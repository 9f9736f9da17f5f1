/* nereid-check-mbarriers: reports waits that never end.
 *
 *   ttng.init_barrier %m, 1
 *   ttng.wait_barrier %m, %c0      error: waits for phase 0 of an mbarrier, which never completes: …
 *
 * The program is executed as far as phases are constants (mbarrier_run.h). The IR does not change. A wait in a loop is
 * reported if it blocks in the first iteration. */
#include "passes/memory/mbarrier_run.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "seam/context.h"

#include <stdlib.h>

static const char *wait_text(nereid_arena_t *arena, const nereid_mbarrier_thread_t *thread) {
  const nereid_mbarrier_t *barrier = thread->waits_for;
  if (!barrier->count)
    return nereid_arena_format(arena, "waits for an mbarrier that is not initialized: expected ttng.init_barrier");
  const char *text = nereid_arena_format(
      arena, "waits for phase %lld of an mbarrier, which never completes: ", (long long)barrier->phases);
  if (text && barrier->pending > 0)
    return nereid_arena_format(arena, "%s%d of %d arrivals are missing", text, barrier->pending, barrier->count);
  return text ? nereid_arena_format(arena,
                                    barrier->bytes > 0
                                        ? "%s%lld bytes that ttng.barrier_expect announces are not copied"
                                        : "%s%lld bytes are copied that ttng.barrier_expect does not announce",
                                    text, llabs(barrier->bytes))
              : NULL;
}

/* Reports the first of the blocked sequences, with notes for the others. */
static void refuse(nereid_arena_t *arena, const nereid_mbarrier_threads_t *blocked) {
  enum { MAX_NOTES = 8 };
  NereidMlirNote notes[MAX_NOTES];
  intptr_t n = 0;
  for (size_t i = 1; i < blocked->size && n < MAX_NOTES; ++i) {
    const char *text = wait_text(arena, &blocked->data[i]);
    if (text)
      notes[n++] = (NereidMlirNote){mlirOperationGetLocation(blocked->data[i].at), text};
  }
  const char *text = wait_text(arena, &blocked->data[0]);
  text = text
             ? nereid_arena_format(
                   arena, "'ttng.wait_barrier' op %s%s", text,
                   blocked->size > 1 && blocked->data[0].waits_for->count ? "; the partitions wait for each other" : "")
             : NULL;
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(blocked->data[0].at),
                          text ? text : "out of memory", n, notes);
}

MlirLogicalResult nereid_pass_check_mbarriers(nereid_pass_t *pass) {
  nereid_operations_t waits = {0}, functions = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTNG_WAIT_BARRIER, pass->scratch, &waits))
    return mlirLogicalResultFailure();
  if (!waits.size)
    return mlirLogicalResultSuccess();
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < functions.size; ++i) {
    nereid_mbarrier_threads_t blocked = {0};
    if (!nereid_mbarrier_run(functions.data[i], pass->scratch, &blocked))
      return mlirLogicalResultFailure();
    if (!blocked.size)
      continue;
    refuse(pass->scratch, &blocked);
    return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}
