/* A pass is one C function, one row in passes.def and one test that is named after its argument.
 *
 *   passes.def      NEREID_PASS(nereid_pass_tritongpu_coalesce, "tritongpu-coalesce", "builtin.module",
 *                               "Assigns encodings with ...", "arith,ttg",
 *                               NEREID_REQUIRES(NEREID_IR_LAYOUTS), NEREID_ESTABLISHES(NEREID_IR_NONE),
 *                               NEREID_PRESERVES(NEREID_IR_ALL), NEREID_PASS_NO_OPTIONS)
 *   coalesce.c      MlirLogicalResult nereid_pass_tritongpu_coalesce(nereid_pass_t *pass) { ... }
 *
 * The row generates the prototype (so the file includes this header), the registration, --help and the documentation.
 */
#ifndef NEREID_PASSES_PASS_H
#define NEREID_PASSES_PASS_H

#include "base/arena.h"
#include "passes/properties.h"
#include "seam/pass.h"

#include <mlir-c/Diagnostics.h>

/* One run of one pass on one operation. */
typedef struct nereid_pass {
  MlirOperation op; /* the anchor; the pass may change it and everything below it */
  MlirContext context;
  nereid_arena_t *scratch; /* freed after the run */
  const NereidMlirPassInfo *info;
  MlirPass handle;
} nereid_pass_t;

/* The body of a pass. Failure stops the pipeline and must be accompanied by an error diagnostic. The wrapper reports
 * out of memory: a pass that finds `scratch->failed` set only returns failure. */
typedef MlirLogicalResult (*nereid_pass_run_t)(nereid_pass_t *pass);

/* The value of the option `name`, as given or its default. The pass's row must have the option with this type. The
 * string lives as long as the run. */
int64_t nereid_pass_option_int(const nereid_pass_t *pass, const char *name);
bool nereid_pass_option_bool(const nereid_pass_t *pass, const char *name);
MlirStringRef nereid_pass_option_string(const nereid_pass_t *pass, const char *name);

/* The compute capability to compile for: the option "compute-capability", or that of the module's target
 * (dialects/ttg/module.h) when the option is 0, its default. */
int32_t nereid_pass_capability(const nereid_pass_t *pass);

/* Reports a counter of this run as an analysis remark on the operation, with the pass's argument as category. It
 * appears with --remarks-filter-analyse and in the YAML file of remarks. A count of 0 is reported too. */
void nereid_pass_statistic_add(const nereid_pass_t *pass, const char *name, int64_t count);

/* Receives every counter of every run, even without remarks, possibly from several threads. Strings are static. */
typedef void (*nereid_pass_statistics_t)(const char *pass, const char *name, int64_t count);

/* Sets the one listener of the process. For the main function of a tool, before any pass runs. */
void nereid_pass_statistics_listen(nereid_pass_statistics_t listener);

/* Explains one decision (--remarks-filter-passed, -missed); `name` is the kind of the decision. */
void nereid_pass_remark_passed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);
void nereid_pass_remark_missed(const nereid_pass_t *pass, MlirOperation op, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* Registers our passes and the MLIR passes that our pipelines and users name. Idempotent and thread-safe. */
void nereid_passes_register(void);

/* The number of rows in passes.def, and row `index`, in the order of the file. */
size_t nereid_passes_count(void);
const NereidMlirPassInfo *nereid_passes_get(size_t index);
const nereid_contract_t *nereid_passes_contract(size_t index);

#define NEREID_PASS(function, argument, anchor, summary, dialects, requires, establishes, preserves, options)          \
  MlirLogicalResult function(nereid_pass_t *pass);
#include "passes/passes.def"
#undef NEREID_PASS

#endif
