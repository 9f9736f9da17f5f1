/* Times, concurrent regions, and ranges; see liveness_solver.h. */
#include "analysis/allocation/liveness_solver.h"
#include "nereid/dialects/ops.h"

#include <stdlib.h>

enum { BETWEEN = UINT32_MAX }; /* in a ttg.warp_specialize, but in none of its regions */

typedef nereid_liveness_solver_t solver_t;

/* --- times and regions --- */

/* Numbers ops in reverse post order; unreachable nodes come last. */
static bool number_times(solver_t *solver) {
  const nereid_flow_graph_t *graph = solver->graph;
  const uint32_t n = (uint32_t)graph->nodes.size;
  uint32_t *sequence = nereid_arena_new(solver->arena, uint32_t, n),
           *places = nereid_arena_new(solver->arena, uint32_t, n);
  uint32_t time = 0, lost = graph->n_reached;
  for (uint32_t i = 0; sequence && places && i < n; ++i) {
    places[i] = graph->nodes.data[i].rank == NEREID_FLOW_NONE ? lost++ : graph->nodes.data[i].rank;
    sequence[places[i]] = i;
  }
  for (uint32_t i = 0; sequence && places && i < n; ++i) {
    solver->liveness->starts[sequence[i]] = time;
    time += graph->nodes.data[sequence[i]].end - graph->nodes.data[sequence[i]].first;
  }
  solver->subjects.graph = graph;
  solver->subjects.starts = solver->liveness->starts;
  solver->subjects.sequence = sequence;
  solver->subjects.places = places;
  return sequence && places;
}

static uint32_t member_of(const nereid_flow_graph_t *graph, const nereid_flow_node_t *node) {
  MlirOperation last = graph->ops.data[node->end - 1];
  return nereid_op_kind(last) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS ? BETWEEN : (uint32_t)node->partition;
}

static void widen(nereid_live_range_t *range, uint32_t first, uint32_t last) {
  range->first = first < range->first ? first : range->first;
  range->last = last > range->last ? last : range->last;
}

/* The number of a ttg.warp_specialize + 1; 0 when out of memory. */
static uint32_t group_of(solver_t *solver, nereid_map_t *numbers, MlirOperation op) {
  nereid_liveness_t *liveness = solver->liveness;
  uintptr_t *number = nereid_map_insert(numbers, op.ptr);
  if (!number ||
      (!*number && (!nereid_vector_push(solver->arena, &liveness->specialized, op) ||
                    !nereid_vector_push(solver->arena, &liveness->spans, (nereid_live_range_t){UINT32_MAX, 0}))))
    return 0;
  if (!*number)
    *number = liveness->specialized.size;
  return (uint32_t)*number;
}

/* Nodes of a region are contiguous in time, and so are the regions of an op. */
static bool find_regions(solver_t *solver) {
  nereid_map_t numbers;
  nereid_map_initialize(&numbers, solver->arena);
  for (uint32_t i = 0; i < solver->graph->n_reached; ++i) {
    const uint32_t n = solver->graph->order[i];
    const nereid_flow_node_t *node = &solver->graph->nodes.data[n];
    if (mlirOperationIsNull(node->specialize))
      continue;
    const uint32_t group = group_of(solver, &numbers, node->specialize), member = member_of(solver->graph, node);
    if (!group)
      return false;
    const uint32_t first = solver->liveness->starts[n], last = first + node->end - node->first - 1;
    solver->liveness->groups[n] = group;
    widen(&solver->liveness->spans.data[group - 1], first, last);
    const size_t latest = solver->regions.size;
    if (latest && solver->regions.data[latest - 1].group == group && solver->regions.data[latest - 1].member == member)
      solver->regions.data[latest - 1].span.last = last;
    else if (!nereid_vector_push(solver->arena, &solver->regions,
                                 (nereid_liveness_region_t){{first, last}, group, member}))
      return false;
  }
  return true;
}

/* The region at `time`; null when it is outside of all regions. */
static const nereid_liveness_region_t *region_at(const solver_t *solver, uint32_t time) {
  size_t low = 0, high = solver->regions.size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (solver->regions.data[middle].span.last < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low < solver->regions.size && solver->regions.data[low].span.first <= time ? &solver->regions.data[low] : NULL;
}

bool nereid_liveness_number(nereid_liveness_solver_t *solver) {
  return number_times(solver) && find_regions(solver);
}

/* --- ranges --- */

static int by_first(const void *a, const void *b) {
  const nereid_live_range_t *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* Sorts `ranges` and joins adjacent ones. */
static void join_ranges(solver_t *solver) {
  size_t n = 1;
  qsort(solver->ranges.data, solver->ranges.size, sizeof *solver->ranges.data, by_first);
  for (size_t i = 1; i < solver->ranges.size; ++i) {
    nereid_live_range_t *back = &solver->ranges.data[n - 1];
    const nereid_live_range_t next = solver->ranges.data[i];
    if (next.first > back->last + 1)
      solver->ranges.data[n++] = next;
    else if (next.last > back->last)
      back->last = next.last;
  }
  solver->ranges.size = n;
}

/* The region that contains all of `ranges`; null when there is none. */
static const nereid_liveness_region_t *common_region(const solver_t *solver) {
  const nereid_liveness_region_t *region = region_at(solver, solver->ranges.data[0].first);
  for (size_t i = 0; region && i < solver->ranges.size; ++i)
    if (solver->ranges.data[i].first < region->span.first || solver->ranges.data[i].last > region->span.last)
      return NULL;
  return region && region->member != BETWEEN ? region : NULL;
}

/* Extends ranges that begin or end in a ttg.warp_specialize to the whole op. */
static void fill_groups(solver_t *solver) {
  const size_t n = solver->ranges.size;
  for (size_t i = 0; i < 2 * n; ++i) {
    const nereid_live_range_t range = solver->ranges.data[i / 2];
    const nereid_liveness_region_t *region = region_at(solver, i % 2 ? range.last : range.first);
    if (region)
      nereid_vector_push(solver->arena, &solver->ranges, solver->liveness->spans.data[region->group - 1]);
  }
}

/* Stores `ranges` in `live`. */
void nereid_liveness_make(nereid_liveness_solver_t *solver, nereid_live_t *live) {
  if (solver->arena->failed || !solver->ranges.size)
    return;
  join_ranges(solver);
  const nereid_liveness_region_t *region = common_region(solver);
  if (region) {
    live->group = region->group;
    live->member = region->member;
  } else {
    fill_groups(solver);
    join_ranges(solver);
  }
  nereid_live_range_t *ranges = nereid_arena_new(solver->arena, nereid_live_range_t, solver->ranges.size);
  for (size_t i = 0; ranges && i < solver->ranges.size; ++i)
    ranges[i] = solver->ranges.data[i];
  live->ranges = ranges;
  live->count = ranges ? (uint32_t)solver->ranges.size : 0;
}
