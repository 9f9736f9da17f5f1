/* Two runs on the emulator: one that counts, one that observes.
 *
 *   ptx:377   ld.shared.v4.b32 ...    8 warps, 64 wavefronts
 *     └ ll:430  └ llvm:512  └ ttgir:40  └ ttir:28  └ input:31  └ kernels.py:107    the same, with those of other lines
 *
 * The first run counts as `nereid run --counters` does. In the second one asynchronous operations take effect at their
 * wait, so that the timeline shows them in flight, and races are detected. */
#include "tools/nereid/report/execution.h"

#include <limits.h>
#include <stdlib.h>

static void add_pair(uint64_t sum[2], const uint64_t part[2]) {
  sum[0] += part[0];
  sum[1] += part[1];
}

static void add_cost(report_cost_t *sum, const report_cost_t *part) {
  sum->warps += part->warps;
  sum->threads += part->threads;
  add_pair(sum->global_requests, part->global_requests);
  add_pair(sum->global_sectors, part->global_sectors);
  add_pair(sum->global_bytes, part->global_bytes);
  add_pair(sum->shared_requests, part->shared_requests);
  add_pair(sum->shared_wavefronts, part->shared_wavefronts);
  add_pair(sum->shared_bytes, part->shared_bytes);
  add_pair(sum->local_bytes, part->local_bytes);
  sum->bank_conflicts += part->bank_conflicts;
  sum->barriers += part->barriers;
  sum->mma += part->mma;
  sum->bulk_copies += part->bulk_copies;
  sum->bulk_bytes += part->bulk_bytes;
}

/* Returns the cost of a line, zero at first; null when out of memory. */
static report_cost_t *cost_of(report_t *report, report_line_t *line) {
  if (!line->cost)
    line->cost = nereid_arena_new(report->arena, report_cost_t, 1);
  return line->cost;
}

/* --- the counting run --- */

static void keep_cost(void *user_data, const nereid_emulator_cost_t *cost) {
  report_t *report = user_data;
  report_stage_t *ptx = &report->stages[REPORT_PTX];
  report_cost_t part = {.warps = cost->warps,
                        .threads = cost->threads,
                        .bank_conflicts = cost->bank_conflicts,
                        .barriers = cost->barriers,
                        .mma = cost->kind == NEREID_EMULATOR_CLASS_MATRIX ? cost->warps : 0,
                        .bulk_copies = cost->bulk_copies,
                        .bulk_bytes = cost->bulk_bytes};
  add_pair(part.global_requests, cost->global_requests);
  add_pair(part.global_sectors, cost->global_sectors);
  add_pair(part.global_bytes, cost->global_bytes);
  add_pair(part.shared_requests, cost->shared_requests);
  add_pair(part.shared_wavefronts, cost->shared_wavefronts);
  add_pair(part.shared_bytes, cost->shared_bytes);
  add_pair(part.local_bytes, cost->local_bytes);
  report_cost_t *sum = cost->place.line <= ptx->n_lines ? cost_of(report, &ptx->lines[cost->place.line]) : NULL;
  if (sum)
    add_cost(sum, &part);
}

static void prepare_count(void *user_data, nereid_emulator_launch_t *launch) {
  launch->count = true;
  launch->cost = keep_cost;
  launch->user_data = user_data;
}

static void keep_counters(void *user_data, const nereid_emulator_report_t *result) {
  report_t *report = user_data;
  report->counters = result->counters;
  report->has_counters = true;
}

/* --- the observing run --- */

/* The reports of one run. */
typedef struct observation {
  report_t *report;
  uint32_t races, first_cta[3]; /* number of races; first CTA of the timeline */
} observation_t;

enum { MAX_RACES = 100 }; /* races in a report */

static void keep_race(void *user_data, const nereid_emulator_race_t *race) {
  static const char *const kinds[] = {"data race", "proxy race", "register race", "tensor map race"};
  observation_t *it = user_data;
  if (it->races++ >= MAX_RACES)
    return;
  report_message_t *message = report_add_message(
      it->report, "error", REPORT_PTX,
      "%s in %s memory, %u bytes at 0x%llx, %llu times: a %s (line %u, warp %u) and a %s (line %u, warp %u) are not "
      "ordered",
      kinds[race->kind], race->space, race->bytes, (unsigned long long)race->address, (unsigned long long)race->count,
      race->earlier.what, race->earlier.line, race->earlier.warp, race->later.what, race->later.line, race->later.warp);
  report_message_at(message, race->earlier.line);
  report_message_at(message, race->later.line);
}

static void keep_overwrite(void *user_data, const nereid_emulator_overwrite_t *overwrite) {
  observation_t *it = user_data;
  report_message_t *message = report_add_message(
      it->report, "error", REPORT_PTX,
      "a callee overwrites its caller's live shared memory, %llu bytes at 0x%llx: stored at line %u, overwritten at "
      "line "
      "%u by the function that line %u calls, read at line %u",
      (unsigned long long)overwrite->count, (unsigned long long)overwrite->address, overwrite->stored.line,
      overwrite->overwritten.line, overwrite->call.line, overwrite->read.line);
  report_message_at(message, overwrite->stored.line);
  report_message_at(message, overwrite->call.line);
  report_message_at(message, overwrite->overwritten.line);
  report_message_at(message, overwrite->read.line);
}

static void keep_violation(void *user_data, const nereid_emulator_violation_t *violation) {
  observation_t *it = user_data;
  report_message_at(report_add_message(it->report, "error", REPORT_PTX, "%s: %s",
                                       nereid_emulator_rule_name(violation->rule), violation->sentence),
                    violation->place.line);
}

static void keep_event(void *user_data, const nereid_emulator_event_t *event) {
  observation_t *it = user_data;
  const uint32_t *cta = event->cta;
  if (!it->report->events.size)
    memcpy(it->first_cta, cta, sizeof it->first_cta);
  const report_event_t kept = {.kind = (uint8_t)event->kind,
                               .cta = cta[0] - it->first_cta[0] + cta[1] - it->first_cta[1] + cta[2] - it->first_cta[2],
                               .warp = event->warp,
                               .line = event->place.line,
                               .count = event->count,
                               .begin = event->begin,
                               .end = event->end};
  (void)nereid_vector_push(it->report->arena, &it->report->events, kept);
}

static void prepare_observation(void *user_data, nereid_emulator_launch_t *launch) {
  enum { MAX_EVENTS = 20000 };
  launch->event = keep_event;
  launch->timeline = (nereid_emulator_timeline_t){.limit = MAX_EVENTS};
  launch->landing = NEREID_EMULATOR_LAND_AT_WAIT;
  launch->count = false;
  launch->racecheck = true;
  launch->race = keep_race;
  launch->overwrite = keep_overwrite;
  launch->violation = keep_violation;
  launch->user_data = user_data;
}

static void finish_observation(void *user_data, const nereid_emulator_report_t *result) {
  const observation_t *it = user_data;
  it->report->dropped_events = result->dropped;
  if (it->races > MAX_RACES)
    report_add_message(it->report, "error", REPORT_PTX, "%u more races; nereid run --racecheck lists all of them",
                       it->races - MAX_RACES);
}

/* Runs a copy of the job. A failed run is a message at the line that it names, "matmul:377: ...", unless the run before
 * failed at the same line, `failed_at`. */
static void run_copy(report_t *report, const tool_job_t *job, const tool_observer_t *observer,
                     unsigned long *failed_at) {
  const tool_engine_t *engine = tool_engine_find("emulator");
  nereid_message_t message = {""};
  tool_job_t copy;
  void *state = NULL;
  if (tool_job_copy(report->arena, job, &copy, &message) || engine->open(&state, &message))
    return;
  copy.observer = observer;
  const nereid_status_t status = engine->run(state, &copy, &message);
  engine->close(state);
  const char *colon = strchr(message.text, ':');
  const unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
  if (status && line != *failed_at) {
    *failed_at = line;
    report_message_at(
        report_add_message(report, "error", REPORT_PTX, "the run on the emulator failed: %s", message.text),
        line <= report->stages[REPORT_PTX].n_lines ? (uint32_t)line : 0);
  }
}

bool report_execute(report_t *report, const tool_job_t *job) {
  const tool_observer_t counting = {prepare_count, keep_counters, report};
  observation_t observation = {.report = report};
  const tool_observer_t observing = {prepare_observation, finish_observation, &observation};
  unsigned long failed_at = ULONG_MAX;
  run_copy(report, job, &counting, &failed_at);
  run_copy(report, job, &observing, &failed_at);
  return !report->arena->failed;
}

/* --- earlier stages --- */

bool report_propagate_costs(report_t *report) {
  for (int kind = REPORT_PTX; kind > REPORT_SOURCE; --kind) {
    const report_stage_kind_t before = report_stage_before(report, (report_stage_kind_t)kind);
    const report_stage_t *stage = &report->stages[kind];
    for (uint32_t i = 1; i <= stage->n_lines && before != REPORT_STAGES; ++i) {
      const report_line_t *line = &stage->lines[i];
      if (!line->cost || !line->n_parents)
        continue;
      report_cost_t *sum = cost_of(report, &report->stages[before].lines[line->parents[0]]);
      if (!sum)
        return false;
      add_cost(sum, line->cost);
    }
  }
  return true;
}
