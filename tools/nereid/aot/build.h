/* Compiles the images of a plan. */
#ifndef NEREID_TOOLS_AOT_BUILD_H
#define NEREID_TOOLS_AOT_BUILD_H

#include "nereid/compile.h"
#include "tools/nereid/aot/plan.h"
#include "tools/nereid/jobs/job.h"

/* Compiles all images of the plan in worker processes, with `options` for all, and reads them into `arena`. `folder`
 * holds the files in between. Returns TOOL_CONTINUE, or the exit code after errors on stderr: each compilation that
 * failed is named. */
int tool_aot_build(nereid_arena_t *arena, tool_aot_plan_t *plan, const nereid_compile_options_t *options,
                   const char *folder, int64_t workers, tool_progress_kind_t progress);

#endif
