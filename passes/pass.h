/* A pass is one C function, one row in passes.def and one test that is named after its argument.
 *
 *   passes.def      NEREID_PASS(nereid_pass_tritongpu_coalesce, "tritongpu-coalesce", "builtin.module",
 *                               "Gives every load and store a layout ...", "arith,ttg",
 *                               NEREID_REQUIRES(NEREID_IR_LAYOUTS), NEREID_ESTABLISHES(NEREID_IR_NONE),
 *                               NEREID_PRESERVES(NEREID_IR_ALL), NEREID_PASS_NO_OPTIONS)
 *   coalesce.c      MlirLogicalResult nereid_pass_tritongpu_coalesce(nereid_pass_t *pass) { ... }
 *
 * The row makes the prototype (so the file includes this header), the registration, --help and the documentation. */
#ifndef NEREID_PASSES_PASS_H
#define NEREID_PASSES_PASS_H

#include "base/arena.h"
#include "passes/properties.h"
#include "seam/pass.h"

#include <mlir-c/Diagnostics.h>

/* One run of one pass on one operation. */
typedef struct nereid_pass {
  MlirOperation op; /* what the pass is anchored on; it may change it and what is below it */
  MlirContext context;
  nereid_arena_t *scratch; /* freed after the run */
  const NereidMlirPassInfo *info;
  MlirPass handle;
} nereid_pass_t;

/* The body of a pass. Failure stops the pipeline and must come with an error diagnostic. When memory runs out the
 * wrapper reports it: a pass that finds `scratch->failed` only returns failure. */
typedef MlirLogicalResult (*nereid_pass_run_t)(nereid_pass_t *pass);

/* The value of the option `name`, as given or its default. The name must be in the pass's row, with this type. The
 * string lives as long as the run. */
int64_t nereid_pass_option_int(const nereid_pass_t *pass, const char *name);
bool nereid_pass_option_bool(const nereid_pass_t *pass, const char *name);
MlirStringRef nereid_pass_option_string(const nereid_pass_t *pass, const char *name);

/* The compute capability that a pass with the option "compute-capability" works for: the option, or that of the module's
 * target (dialects/ttg/module.h) when it is 0, its default. */
int32_t nereid_pass_capability(const nereid_pass_t *pass);

/* Reports a counter of this run as an analysis remark on the operation, category the pass's argument: seen with
 * --remarks-filter-analyse and in the YAML file of remarks. A count of 0 is reported too. */
void nereid_pass_statistic_add(const nereid_pass_t *pass, const char *name, int64_t count);

/* Gets every counter of every run, also without remarks; possibly from several threads. Strings are static. */
typedef void (*nereid_pass_statistics_t)(const char *pass, const char *name, int64_t count);

/* For the main of a tool, before any pass runs: the one listener of the process. */
void nereid_pass_statistics_listen(nereid_pass_statistics_t listener);

/* Explains one decision (--remarks-filter-passed, -missed): `name` is the decision's kind. */
void nereid_pass_remark_passed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);
void nereid_pass_remark_missed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* Registers our passes and those of MLIR that our pipelines and users name. Once is enough, more often is harmless,
 * from any thread. */
void nereid_passes_register(void);

/* The number of rows in passes.def, and row `index` of them, in the order of the file. */
size_t nereid_passes_count(void);
const NereidMlirPassInfo *nereid_passes_get(size_t index);
const nereid_contract_t *nereid_passes_contract(size_t index);

#define NEREID_PASS(function, argument, anchor, summary, dialects, requires, establishes, preserves, options)          \
  MlirLogicalResult function(nereid_pass_t *pass);
#include "passes/passes.def"
#undef NEREID_PASS

#endif
