/* Planted defects: wrong transformations for the tests of `nereid bisect` and `nereid reduce`. Only builds with tests
 * contain them. */
#ifndef NEREID_PASSES_DEFECT_H
#define NEREID_PASSES_DEFECT_H

#include <mlir-c/IR.h>

#include <stdbool.h>

typedef struct nereid_defect {
  const char *kind;                /* value of the pass's option; null ends a table */
  const char *op;                  /* name of the operations to which `plant` applies */
  bool (*plant)(MlirOperation op); /* changes the operation; false: it does not suit */
} nereid_defect_t;

extern const nereid_defect_t nereid_value_defects[];  /* results of arithmetic and control flow */
extern const nereid_defect_t nereid_memory_defects[]; /* accesses, their order and synchronization */

/* Registers the pass nereid-test-defect, with the option `kind`. It plants the defect at the first suitable operation,
 * and fails when there is none. */
void nereid_defects_register(void);

#endif
