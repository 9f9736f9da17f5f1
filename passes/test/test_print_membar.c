/* test-print-membar: puts the barriers into the IR that convert-triton-gpu-to-llvm would.
 *
 *   ttg.local_store %x, %b            ttg.local_store %x, %b
 *   %y = ttg.local_load %b      ->    ttg.local_barrier
 *                                     %y = ttg.local_load %b
 *
 * For tests and for people who wonder why threads wait. With any-thread each thread may access each byte of an access,
 * whatever layouts say, so that a test need not choose layouts that differ. */
#include "passes/pass.h"

#include "analysis/membar/membar.h"

MlirLogicalResult nereid_pass_test_print_membar(nereid_pass_t *pass) {
  nereid_call_graph_t calls;
  nereid_axis_result_t axis;
  const nereid_membar_options_t options = {.mode = NEREID_MEMBAR_BARRIERS,
                                           .global = nereid_pass_option_bool(pass, "global-order"),
                                           .axis = &axis,
                                           .any_thread = nereid_pass_option_bool(pass, "any-thread")};
  return nereid_call_graph_build(pass->op, pass->scratch, &calls) == NEREID_OK &&
                 nereid_axis_info_run(pass->op, pass->scratch, &axis) == NEREID_OK &&
                 nereid_membar_run(&calls, options, pass->scratch)
             ? mlirLogicalResultSuccess()
             : mlirLogicalResultFailure();
}
