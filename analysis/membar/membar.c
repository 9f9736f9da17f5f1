/* Barriers and fences of a module; see membar.h.
 *
 *   callees first   flow graph, aliases of values, asynchronous operations that each function starts
 *   callers first   which of them may be in flight at a call, which arguments overlap, the bytes of each value
 *   callees first   effects, the walk to a fixed point (membar_walk.c), the summary for callers */
#include "analysis/membar/membar.h"

#include "dialects/ir.h"

#include "analysis/membar/fence_place.h"
#include "analysis/membar/membar_outer.h"
#include "analysis/membar/membar_summary.h"
#include "analysis/membar/membar_walk.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/context.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

enum { MAX_WARPS = 64 }; /* warps of a CTA */

static MlirAttribute name_of(MlirOperation function) {
  return nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_NAME);
}

static nereid_membar_function_t *function_at(const nereid_membar_t *membar, size_t number) {
  return &membar->functions[number];
}

/* --- buffers of values --- */

/* Finds the arguments to which the returned pointers may belong. */
static bool find_returned(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = function_at(membar, number);
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  uintptr_t *place = nereid_map_insert(&membar->returned, name_of(called->op).ptr);
  nereid_roots_t roots;
  if (!place || !nereid_roots_initialize(&roots, &function->graph, NULL, &membar->returned, membar->arena))
    return false;
  *place = (uintptr_t)nereid_roots_returned(&roots);
  return !membar->arena->failed;
}

static bool find_buffers(nereid_membar_t *membar, size_t number, nereid_map_t *results) {
  nereid_membar_function_t *function = function_at(membar, number);
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  function->has_body = called->has_body;
  if (!called->has_body)
    return true;
  nereid_alias_results_t *result = nereid_arena_new(membar->arena, nereid_alias_results_t, 1);
  uintptr_t *place = nereid_map_insert(results, name_of(called->op).ptr);
  if (!result || !place || !nereid_flow_graph_build(called->op, membar->arena, &function->graph) ||
      !nereid_alias_run(&function->graph, results, membar->arena, &function->alias) ||
      !nereid_alias_results(&function->graph, &function->alias, membar->arena, result))
    return false;
  *place = (uintptr_t)result;
  return !membar->options.global || !called->n_callers || find_returned(membar, number);
}

/* --- bytes of values --- */

/* Warps that may execute the function: partitions may have more than the default region. */
static int warps_of(const nereid_membar_t *membar, MlirOperation function) {
  const int warps = (int)nereid_ttg_num_warps(function);
  return warps > 0 && !membar->specializes ? warps : MAX_WARPS;
}

/* Finds the roots of pointers after those of all callers. */
static bool find_roots(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = function_at(membar, number);
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  nereid_membar_global_t *global = &function->global;
  const uint32_t n = (uint32_t)mlirBlockGetNumArguments(function->graph.nodes.data[0].block);
  if (!membar->options.global)
    return true;
  *global = (nereid_membar_global_t){.arena = membar->arena,
                                     .graph = &function->graph,
                                     .shapes = &membar->shapes,
                                     .warps = warps_of(membar, called->op),
                                     .by_layout = !membar->options.any_thread};
  global->shared = nereid_arena_new(membar->arena, uint32_t, n);
  if (!global->shared)
    return false;
  for (uint32_t i = 0; i < n; ++i)
    global->shared[i] = i + 1;
  for (size_t i = 0; i < called->n_callers; ++i) {
    const nereid_call_edge_t *edge = nereid_call_graph_caller(membar->calls, called, i);
    nereid_roots_share(&function_at(membar, edge->caller)->global.roots, edge->call, global->shared, n);
  }
  if (!nereid_roots_initialize(&global->roots, &function->graph, global->shared, &membar->returned, membar->arena) ||
      !nereid_membar_global_initialize(global, membar->options.axis, called->n_callers || called->n_calls))
    return false;
  membar->bulk |= global->enabled && global->bulk;
  return true;
}

static bool find_bytes(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = function_at(membar, number);
  const nereid_call_function_t *called = &membar->calls->functions.data[number];
  if (!function->has_body)
    return true;
  const intptr_t n = mlirBlockGetNumArguments(function->graph.nodes.data[0].block);
  uint32_t *spaces = nereid_arena_new(membar->arena, uint32_t, (size_t)n);
  if (!spaces || !find_roots(membar, number))
    return false;
  for (intptr_t i = 0; i < n; ++i)
    spaces[i] = (uint32_t)i;
  for (size_t i = 0; i < called->n_callers; ++i) {
    const nereid_call_edge_t *edge = nereid_call_graph_caller(membar->calls, called, i);
    nereid_membar_summary_share(&function_at(membar, edge->caller)->slicer, edge->call, spaces);
  }
  return nereid_slicer_initialize(&function->slicer, &function->graph, &function->alias, spaces, membar->arena);
}

/* --- effects --- */

static bool walk_function(nereid_membar_t *membar, size_t number) {
  nereid_membar_function_t *function = function_at(membar, number);
  if (!function->has_body)
    return true;
  nereid_membar_global_t *global = function->global.enabled ? &function->global : NULL;
  function->effects = (nereid_membar_effects_t){.arena = membar->arena,
                                                .global = global,
                                                .slicer = &function->slicer,
                                                .shapes = &membar->shapes,
                                                .by_layout = !membar->options.any_thread,
                                                .bulk = membar->bulk};
  if (!nereid_membar_effects_run(&function->effects))
    return false;
  nereid_membar_context_t *context = &function->context;
  context->arena = membar->arena;
  context->global = global;
  context->shapes = &membar->shapes;
  context->graph = &function->graph;
  context->slicer = &function->slicer;
  context->effects = &function->effects;
  context->proxies = membar->uses_async_proxy;
  context->bulk = membar->bulk && global;
  return nereid_membar_walk(membar, number);
}

bool nereid_membar_analyze(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena,
                           nereid_membar_t *out) {
  const size_t n = calls->functions.size;
  nereid_map_t results;
  *out = (nereid_membar_t){.arena = arena, .calls = calls, .options = options};
  out->functions = nereid_arena_new(arena, nereid_membar_function_t, n);
  nereid_access_shapes_initialize(&out->shapes, arena);
  nereid_map_initialize(&out->returned, arena);
  nereid_map_initialize(&results, arena);
  if (!out->functions)
    return false;
  for (size_t i = 0; i < n; ++i) {
    if (!find_buffers(out, calls->post_order[i], &results) || !nereid_membar_survey(out, calls->post_order[i]))
      return false;
  }
  for (size_t i = n; i-- > 0;) {
    if (!nereid_membar_find_outer(out, calls->post_order[i]) || !find_bytes(out, calls->post_order[i]))
      return false;
  }
  for (size_t i = 0; i < n; ++i)
    if (!walk_function(out, calls->post_order[i]))
      return false;
  return !arena->failed;
}

/* --- insertion --- */

static const char *verb_of(nereid_shared_kind_t kind) {
  return kind == NEREID_SHARED_READ ? "read" : kind == NEREID_SHARED_WRITE ? "written" : "updated atomically";
}

/* The line and column of `op` if its location is a file location. */
static void format_place(MlirOperation op, char *out, size_t size) {
  MlirLocation location = mlirOperationGetLocation(op);
  while (mlirLocationIsAName(location))
    location = mlirLocationNameGetChildLoc(location);
  if (mlirLocationIsAFileLineColRange(location))
    snprintf(out, size, " at line %d, column %d", mlirLocationFileLineColRangeGetStartLine(location),
             mlirLocationFileLineColRangeGetStartColumn(location));
}

/* The inserted synchronization. */
static const char *name_of_need(uint8_t need) {
  const bool barrier = need & NEREID_NEED_ORDER;
  switch (need & (NEREID_NEED_WAIT | NEREID_NEED_FENCE)) {
  case NEREID_NEED_WAIT:
    return barrier ? "a wait for TMA stores and a barrier of the CTA" : "a wait for TMA stores";
  case NEREID_NEED_FENCE:
    return barrier ? "a proxy fence and a barrier of the CTA" : "a proxy fence";
  case NEREID_NEED_WAIT | NEREID_NEED_FENCE:
    return barrier ? "a wait for TMA stores, a proxy fence and a barrier of the CTA"
                   : "a wait for TMA stores and a proxy fence";
  default:
    return need == NEREID_ORDER_WARP ? "a barrier of each warp" : "a barrier of the CTA";
  }
}

/* Emits the reason for a barrier for global memory as a remark at the later access. */
static void explain_barrier(const nereid_membar_reason_t *reason, uint8_t need) {
  if (mlirOperationIsNull(reason->earlier) || mlirOperationIsNull(reason->later) ||
      !nereidMlirRemarksEnabled(mlirOperationGetContext(reason->later)))
    return;
  char text[320], place[64] = "";
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(reason->earlier));
  format_place(reason->earlier, place, sizeof place);
  snprintf(text, sizeof text, "%s%s: the bytes that are %s here may have been %s by %s (%.*s%s)", name_of_need(need),
           reason->before_loop ? " before the loop" : "", verb_of(reason->kinds[1]), verb_of(reason->kinds[0]),
           reason->in_flight ? "a TMA copy in flight" : "another thread", (int)name.length, name.data, place);
  nereidMlirOptimizationRemark(NereidMlirRemarkMissed, mlirOperationGetLocation(reason->later),
                               "convert-triton-gpu-to-llvm", "global-order", text);
}

static void insert_barriers(const nereid_membar_function_t *function) {
  for (size_t i = 0; i < function->effects.events.size; ++i) {
    const uint8_t need = function->needs[i], order = need & NEREID_NEED_ORDER;
    if (!need)
      continue;
    if (function->reasons)
      explain_barrier(&function->reasons[i], need);
    nereid_builder_t builder = nereid_builder_before(function->effects.events.data[i].op);
    if (need & NEREID_NEED_WAIT)
      nereid_ttng_async_tma_store_wait_build(&builder, 0, /*writes=*/true, /*read_only=*/false);
    if (need & NEREID_NEED_FENCE)
      nereid_ttng_fence_async_shared_build(&builder, false, true);
    if (order != NEREID_ORDER_NONE)
      nereid_ttg_local_barrier_build(&builder, order == NEREID_ORDER_WARP);
  }
}

static bool place_fences(const nereid_membar_t *membar, bool early) {
  bool any = false;
  for (size_t i = 0; i < membar->calls->functions.size; ++i) {
    const nereid_membar_function_t *function = function_at(membar, i);
    any = (function->has_body && nereid_fence_place(function, early)) || any;
  }
  return any;
}

/* The analysis takes a fence to be directly before the access that needs it, where it orders all writes before. One
 * that is placed earlier does not order those in between: accesses that need them are found by the next analysis. */
static bool insert_fences(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena) {
  enum { EARLY_ROUNDS = 8 };
  nereid_membar_t membar;
  for (int round = 0; round <= EARLY_ROUNDS; ++round) {
    if (!nereid_membar_analyze(calls, options, arena, &membar))
      return false;
    if (!place_fences(&membar, round < EARLY_ROUNDS))
      break;
  }
  return true;
}

bool nereid_membar_run(const nereid_call_graph_t *calls, nereid_membar_options_t options, nereid_arena_t *arena) {
  nereid_membar_t membar;
  if (options.mode == NEREID_MEMBAR_FENCES)
    return insert_fences(calls, options, arena);
  if (!nereid_membar_analyze(calls, options, arena, &membar))
    return false;
  for (size_t i = 0; i < calls->functions.size; ++i)
    if (function_at(&membar, i)->has_body)
      insert_barriers(function_at(&membar, i));
  return true;
}
