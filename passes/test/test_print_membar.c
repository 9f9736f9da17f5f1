/* test-print-membar: inserts the barriers that convert-triton-gpu-to-llvm inserts.
 *
 *   ttg.local_store %x, %b            ttg.local_store %x, %b
 *   %y = ttg.local_load %b      ->    ttg.local_barrier
 *                                     %y = ttg.local_load %b
 *
 * For tests and for diagnosis of unexpected barriers. With any-thread, each thread may access each byte of an access,
 * regardless of layouts, so that a test need not choose different layouts. */
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
