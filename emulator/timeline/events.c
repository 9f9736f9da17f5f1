/* The events of a cluster: recorded in the order of execution, delivered by CTA and time.
 *
 * The clusters of a launch run on several host threads, so each has a list of its own, with the limit of the launch;
 * delivery applies the limit to the sum, in the order of the clusters. */
#include "emulator/timeline/private.h"

#include <stdlib.h>

enum { DEFAULT_LIMIT = 200000 };

/* Whether the launch requests events of the CTA. Without a number of CTAs, of all CTAs of the first one's cluster. */
static bool selects(const emu_cluster_t *cluster, const emu_cta_t *cta) {
  const nereid_emulator_launch_t *launch = cluster->launch;
  const uint32_t *grid = launch->grid, *id = cta->id;
  const uint64_t number = id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
  const uint64_t ctas = launch->timeline.ctas ? launch->timeline.ctas : 1;
  return number >= launch->timeline.first && number - launch->timeline.first < ctas;
}

bool nereid_emulator_timeline_selects(const emu_cluster_t *cluster) {
  bool any = false;
  for (uint32_t i = 0; i < cluster->n_ctas; ++i)
    any |= selects(cluster, &cluster->ctas[i]);
  return any;
}

uint64_t nereid_emulator_timeline_limit(const nereid_emulator_launch_t *launch) {
  return launch->timeline.limit ? launch->timeline.limit : DEFAULT_LIMIT;
}

bool nereid_emulator_timeline_failed(const emu_timeline_t *timeline) {
  return timeline->failed;
}

emu_timeline_t *nereid_emulator_timeline_create(const emu_cluster_t *cluster, const uint8_t *moments) {
  emu_timeline_t *timeline = calloc(1, sizeof *timeline);
  if (!timeline)
    return NULL;
  nereid_arena_initialize(&timeline->arena);
  timeline->program = cluster->kernel->program;
  timeline->moments = moments;
  timeline->limit = nereid_emulator_timeline_limit(cluster->launch);
  timeline->n_ctas = cluster->n_ctas;
  timeline->n_warps = cluster->ctas[0].n_warps;
  for (uint32_t i = 0; i < cluster->n_ctas; ++i) {
    memcpy(timeline->ids[i], cluster->ctas[i].id, sizeof timeline->ids[i]);
    timeline->shown[i] = !cluster->launch->timeline.ctas || selects(cluster, &cluster->ctas[i]);
  }
  timeline->clocks = nereid_arena_new(&timeline->arena, emu_clock_t, (size_t)timeline->n_ctas * timeline->n_warps);
  if (timeline->clocks)
    return timeline;
  nereid_emulator_timeline_destroy(timeline);
  return NULL;
}

void nereid_emulator_timeline_destroy(emu_timeline_t *timeline) {
  if (timeline)
    nereid_arena_deinitialize(&timeline->arena);
  free(timeline);
}

size_t nereid_emulator_timeline_record(const emu_warp_t *warp, emu_event_t event) {
  emu_timeline_t *timeline = warp->cta->cluster->timeline;
  if (!timeline->shown[warp->cta->rank])
    return 0;
  if (timeline->events.size >= timeline->limit) {
    timeline->dropped++;
    return 0;
  }
  event.warp = (uint16_t)warp->index;
  event.rank = (uint8_t)warp->cta->rank;
  event.serial = (uint32_t)timeline->events.size;
  if (nereid_vector_push(&timeline->arena, &timeline->events, event))
    return timeline->events.size;
  timeline->failed = true;
  return 0;
}

/* By CTA and begin; of events that begin together, longer ones first. */
static int in_order(const void *a, const void *b) {
  const emu_event_t *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static nereid_emulator_event_t described(const emu_timeline_t *timeline, const emu_event_t *event) {
  const nereid_emulator_program_t *program = timeline->program;
  const emu_insn_t *insn = event->insn;
  const emu_place_t *source = insn->place ? &program->places.data[insn->place] : NULL;
  const uint32_t *id = timeline->ids[event->rank];
  return (nereid_emulator_event_t){.kind = (nereid_emulator_event_kind_t)event->kind,
                                   .begin = event->begin,
                                   .end = event->end,
                                   .cta = {id[0], id[1], id[2]},
                                   .warp = event->warp,
                                   .lanes = event->lanes,
                                   .count = event->count,
                                   .barrier = event->barrier,
                                   .phase = event->phase,
                                   .complete = event->complete,
                                   .place = {.program = program->name,
                                             .source = source ? source->text : NULL,
                                             .line = insn->line,
                                             .source_line = source ? source->line : 0,
                                             .text = nereid_emulator_statement(program, insn)}};
}

uint64_t nereid_emulator_timeline_deliver(emu_timeline_t *timeline, const nereid_emulator_launch_t *launch,
                                          uint64_t limit, uint64_t *out_dropped) {
  const uint64_t n = timeline->events.size < limit ? timeline->events.size : limit;
  if (timeline->events.size)
    qsort(timeline->events.data, timeline->events.size, sizeof *timeline->events.data, in_order);
  for (uint64_t i = 0; i < n; ++i) {
    const nereid_emulator_event_t event = described(timeline, &timeline->events.data[i]);
    launch->event(launch->user_data, &event);
  }
  *out_dropped += timeline->dropped + timeline->events.size - n;
  return n;
}
