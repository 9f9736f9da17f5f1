/* Limits a compilation to a range of passes of ttir and ttgir, so that the IR between two passes can be printed, edited
 * and compiled further:
 *
 *   k.ttir, stop_before tritongpu-pipeline   ->   ttir: all passes; ttgir: those up to tritongpu-schedule-loops
 *   k.ttgir, start_at tritongpu-pipeline     ->   ttgir: the passes from there on; the later stages
 *
 * A pass that a list contains several times is its first one. Later lists are not divided: the compiler collects facts
 * about the kernel before them. */
#include "session.h"

#include <string.h>

static const nereid_pipeline_t divided[] = {NEREID_PIPELINE_TTIR, NEREID_PIPELINE_TTGIR};
enum { DIVIDED = sizeof divided / sizeof *divided };

/* Returns the position of the pass `name` in a list; SIZE_MAX when it is not there. */
static size_t position_of(const char *const *passes, const char *name) {
  for (size_t i = 0; passes[i]; i++)
    if (strncmp(passes[i], name, strlen(name)) == 0 && strchr("{", passes[i][strlen(name)]))
      return i;
  return SIZE_MAX;
}

static nereid_stage_t stage_of(nereid_pipeline_t pipeline) {
  return pipeline == NEREID_PIPELINE_TTIR ? NEREID_STAGE_TTIR : NEREID_STAGE_TTGIR;
}

/* Finds the first list that contains the pass. */
static nereid_status_t find(const nereid_compilation_t *compilation, const char *name, nereid_pass_place_t *out) {
  *out = (nereid_pass_place_t){.name = name};
  for (size_t i = 0; name && i < DIVIDED; i++) {
    out->position = position_of(nereid_pipeline_passes(divided[i]), name);
    out->pipeline = divided[i];
    out->stage = stage_of(divided[i]);
    if (out->position != SIZE_MAX)
      return NEREID_OK;
  }
  return !name ? NEREID_OK
               : nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                               "'%s' is not a pass of the stages ttir and ttgir", name);
}

nereid_status_t nereid_pass_range_check(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *options = &compilation->options;
  nereid_pass_range_t *range = &compilation->range;
  nereid_status_t status = find(compilation, options->start_at, &range->start);
  if (status == NEREID_OK)
    status = find(compilation, options->stop_before, &range->stop);
  if (status != NEREID_OK || !range->stop.name)
    return status;
  if (range->start.name && (range->stop.stage < range->start.stage ||
                            (range->stop.stage == range->start.stage && range->stop.position < range->start.position)))
    return nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                         "the pass to stop before, '%s', precedes the pass to start at, '%s'", range->stop.name,
                         range->start.name);
  compilation->options.emit = range->stop.stage;
  return NEREID_OK;
}

nereid_status_t nereid_pass_range_check_input(const nereid_compilation_t *compilation) {
  const nereid_pass_place_t *start = &compilation->range.start;
  if (!start->name || compilation->stage <= start->stage)
    return NEREID_OK;
  return nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                       "'%s' is already %s; the pass to start at, '%s', is one of %s", compilation->name,
                       nereid_stage_name(compilation->stage), start->name, nereid_stage_name(start->stage));
}

bool nereid_pass_range_skips(const nereid_compilation_t *compilation, nereid_pipeline_t pipeline) {
  const nereid_pass_place_t *start = &compilation->range.start;
  const bool precedes_ttir = pipeline == NEREID_PIPELINE_NAMES, precedes_ttgir = pipeline == NEREID_PIPELINE_CALLS;
  return start->name && (precedes_ttir || (precedes_ttgir && start->pipeline == NEREID_PIPELINE_TTGIR));
}

const char *const *nereid_pass_range_cut(nereid_compilation_t *compilation, nereid_pipeline_t pipeline,
                                         const char *const *passes) {
  const nereid_pass_range_t *range = &compilation->range;
  const bool starts = range->start.name && range->start.pipeline == pipeline;
  const bool stops = range->stop.name && range->stop.pipeline == pipeline;
  const size_t from = starts ? position_of(passes, range->start.name) : 0;
  const size_t to = stops ? position_of(passes, range->stop.name) : SIZE_MAX;
  size_t count = 0;
  while (passes[count])
    count++;
  const char **cut = nereid_arena_new(&compilation->scratch, const char *, count + 1);
  for (size_t i = from, n = 0; cut && i < count && i < to; i++)
    cut[n++] = passes[i];
  return cut;
}
