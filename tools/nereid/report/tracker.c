/* Follows a compilation through the stages of MLIR.
 *
 *   after ttir     %7 = tt.load %6     loc("<ttir>":31:0)           operation 31 of ttir
 *   after ttgir    %9 = ttg.async_copy_global_to_local ...  loc(fused["<ttir>":31:0, "<ttir>":30:0])
 *                  -> parents 31 and 30 of ttir; the location becomes "<ttgir>":44:0
 *
 * Passes carry locations anyway, so numbers in locations are exact where source lines are ambiguous: a line of Python
 * has many operations. Locations do not change the generated code (the report compares the PTX with that of a
 * compilation without them). Names of values, which are locations too, are kept. */
#include "tools/nereid/report/tracker.h"

#include "base/map.h"
#include "tools/nereid/report/ir_facts.h"

#include <mlir-c/BuiltinAttributes.h>

typedef struct parents {
  NEREID_VECTOR(uint32_t) list;
} parents_t;

/* The operations of one module. */
typedef struct walk {
  nereid_arena_t *arena;
  nereid_map_t number_of; /* MlirOperation -> number */
  NEREID_VECTOR(MlirOperation) ops;
  NEREID_VECTOR(const char *) names;
  NEREID_VECTOR(uint32_t) enclosing;
} walk_t;

/* --- locations --- */

static void add(nereid_arena_t *arena, parents_t *parents, uint32_t line) {
  for (size_t i = 0; i < parents->list.size; ++i)
    if (parents->list.data[i] == line)
      return;
  if (line)
    (void)nereid_vector_push(arena, &parents->list, line);
}

/* Adds the line of one file location: of the stage before, or of the source. */
static void add_place(report_tracker_t *it, MlirLocation location, parents_t *parents) {
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  const uint32_t line = (uint32_t)mlirLocationFileLineColRangeGetStartLine(location);
  const nereid_view_t name = nereid_view_of(file.data, file.length);
  if (it->started && nereid_view_equal(name, nereid_view(it->numbering.marker)))
    add(it->report->arena, parents, report_numbered_line(&it->numbering, line));
  else if (!it->started && line && !nereid_view_equal(name, nereid_view(it->name)))
    add(it->report->arena, parents, report_place(it->report, name, line));
}

/* Adds all places of a location: the callee before its caller, the parts of a fused one in order. */
static void add_places(report_tracker_t *it, MlirLocation location, parents_t *parents) {
  if (mlirLocationIsAFileLineColRange(location)) {
    add_place(it, location, parents);
  } else if (mlirLocationIsAName(location)) {
    add_places(it, mlirLocationNameGetChildLoc(location), parents);
  } else if (mlirLocationIsACallSite(location)) {
    add_places(it, mlirLocationCallSiteGetCallee(location), parents);
    add_places(it, mlirLocationCallSiteGetCaller(location), parents);
  } else if (mlirLocationIsAFused(location)) {
    const unsigned count = mlirLocationFusedGetNumLocations(location);
    MlirLocation *parts = nereid_arena_new(it->report->arena, MlirLocation, count);
    if (parts)
      mlirLocationFusedGetLocations(location, parts);
    for (unsigned i = 0; parts && i < count; ++i)
      add_places(it, parts[i], parents);
  }
}

/* Returns the first name in a location; null when there is none. */
static MlirLocation name_in(nereid_arena_t *arena, MlirLocation location) {
  if (mlirLocationIsAName(location))
    return location;
  if (mlirLocationIsACallSite(location)) {
    MlirLocation name = name_in(arena, mlirLocationCallSiteGetCallee(location));
    return mlirLocationIsNull(name) ? name_in(arena, mlirLocationCallSiteGetCaller(location)) : name;
  }
  MlirLocation found = {NULL};
  const unsigned count = mlirLocationIsAFused(location) ? mlirLocationFusedGetNumLocations(location) : 0;
  MlirLocation *parts = nereid_arena_new(arena, MlirLocation, count + (size_t)1);
  if (parts && count)
    mlirLocationFusedGetLocations(location, parts);
  for (unsigned i = 0; parts && i < count && mlirLocationIsNull(found); ++i)
    found = name_in(arena, parts[i]);
  return found;
}

/* Returns the location of operation `number`, with the name of the old one if there is an arena. */
static MlirLocation numbered(nereid_arena_t *arena, MlirLocation old, const char *marker, uint32_t number) {
  MlirContext context = mlirLocationGetContext(old);
  MlirLocation place = mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(marker), (unsigned)number, 0);
  MlirLocation name = arena ? name_in(arena, old) : (MlirLocation){NULL};
  return mlirLocationIsNull(name)
             ? place
             : mlirLocationNameGet(context, mlirIdentifierStr(mlirLocationNameGetName(name)), place);
}

/* Gives an operation and the arguments of its blocks the location "marker":number. Names are kept if `arena` is not
 * null. */
static void relocate(nereid_arena_t *arena, MlirOperation op, const char *marker, uint32_t number) {
  mlirOperationSetLocation(op, numbered(arena, mlirOperationGetLocation(op), marker, number));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k) {
        MlirValue argument = mlirBlockGetArgument(block, k);
        mlirBlockArgumentSetLocation(argument, numbered(arena, mlirValueGetLocation(argument), marker, number));
      }
}

/* --- the operations of a module --- */

static MlirWalkResult visit(MlirOperation op, void *data) {
  walk_t *walk = data;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const uintptr_t *outer =
      walk->ops.size ? nereid_map_find(&walk->number_of, mlirOperationGetParentOperation(op).ptr) : NULL;
  const uint32_t enclosing = outer ? (uint32_t)*outer : 0;
  uintptr_t *number = nereid_map_insert(&walk->number_of, op.ptr);
  if (number)
    *number = walk->ops.size;
  (void)nereid_vector_push(walk->arena, &walk->names,
                           nereid_arena_copy(walk->arena, nereid_view_of(name.data, name.length)));
  (void)nereid_vector_push(walk->arena, &walk->enclosing, enclosing);
  return nereid_vector_push(walk->arena, &walk->ops, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static uint32_t number_of(const walk_t *walk, MlirOperation op) {
  const uintptr_t *number = mlirOperationIsNull(op) ? NULL : nereid_map_find(&walk->number_of, op.ptr);
  return number ? (uint32_t)*number : 0;
}

/* Returns the operation whose parents one without a location shares: a user, the definition of an operand, or the
 * enclosing operation; 0: none of them has parents. */
static uint32_t relative(const walk_t *walk, const parents_t *parents, uint32_t number) {
  MlirOperation op = walk->ops.data[number];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      const uint32_t user = number_of(walk, mlirOpOperandGetOwner(use));
      if (parents[user].list.size)
        return user;
    }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    const uint32_t definition = mlirValueIsAOpResult(value) ? number_of(walk, mlirOpResultGetOwner(value)) : 0;
    if (parents[definition].list.size)
      return definition;
  }
  return parents[walk->enclosing.data[number]].list.size ? walk->enclosing.data[number] : 0;
}

/* Sets op, parents and link of the lines of a numbered stage. Backwards, as most users follow. */
static bool link_lines(report_tracker_t *it, report_stage_kind_t kind, const walk_t *walk,
                       const report_numbering_t *numbering, const parents_t *parents) {
  report_stage_t *stage = &it->report->stages[kind];
  bool done = true;
  for (uint32_t i = numbering->count; i >= 1 && done; --i) {
    report_line_t *line = &stage->lines[numbering->line[i]];
    const bool printed = numbering->line[i] != numbering->line[numbering->enclosing[i]];
    const uint32_t from = parents[i].list.size ? i : relative(walk, parents, i);
    if (!numbering->line[i] || !printed)
      continue;
    line->op = numbering->names[i];
    done = report_set_parents(it->report, line, parents[from].list.data, parents[from].list.size,
                              from == i ? REPORT_LINK_LOCATION : REPORT_LINK_USE);
    if (!line->n_parents)
      line->why = it->started ? "created by a pass without a location" : "the input has no location for it";
  }
  return done;
}

static bool number_module(report_tracker_t *it, report_stage_kind_t kind, MlirOperation module) {
  report_t *report = it->report;
  walk_t walk = {.arena = report->arena};
  nereid_map_initialize(&walk.number_of, report->arena);
  (void)nereid_vector_push(walk.arena, &walk.ops, (MlirOperation){NULL});
  (void)nereid_vector_push(walk.arena, &walk.names, "");
  (void)nereid_vector_push(walk.arena, &walk.enclosing, 0);
  mlirOperationWalk(module, visit, &walk, MlirWalkPreOrder);
  report_numbering_t numbering = {.marker = nereid_arena_format(report->arena, "<%s>", report_stage_name(kind)),
                                  .count = (uint32_t)walk.ops.size - 1,
                                  .ops = walk.ops.data,
                                  .names = walk.names.data,
                                  .enclosing = walk.enclosing.data,
                                  .line = nereid_arena_new(report->arena, uint32_t, walk.ops.size)};
  parents_t *parents = nereid_arena_new(report->arena, parents_t, walk.ops.size);
  if (!parents || !numbering.line || report->arena->failed)
    return false;
  for (uint32_t i = 1; i <= numbering.count; ++i)
    add_places(it, mlirOperationGetLocation(walk.ops.data[i]), &parents[i]);
  for (uint32_t i = 1; i <= numbering.count; ++i)
    relocate(report->arena, walk.ops.data[i], numbering.marker, i);
  if ((kind != REPORT_INPUT || !report_read_input(report, it->input, &numbering)) &&
      !report_print_module(report, kind, module, &numbering))
    return false;
  if (!link_lines(it, kind, &walk, &numbering, parents) ||
      (kind != REPORT_LLVM && !report_add_layouts(report, kind, &numbering)))
    return false;
  /* With names, translation to LLVM IR would add records of source variables. */
  for (uint32_t i = 1; i <= numbering.count && kind == REPORT_LLVM; ++i)
    relocate(NULL, walk.ops.data[i], numbering.marker, i);
  it->numbering = numbering;
  it->stage = kind;
  it->started = true;
  return !report->arena->failed;
}

bool report_track(void *user_data, nereid_stage_t stage, MlirOperation module, LLVMModuleRef llvm) {
  report_tracker_t *it = user_data;
  static const report_stage_kind_t kinds[] = {
      [NEREID_STAGE_TTIR] = REPORT_TTIR, [NEREID_STAGE_TTGIR] = REPORT_TTGIR, [NEREID_STAGE_LLVM] = REPORT_LLVM};
  if (stage == NEREID_STAGE_LL)
    return report_track_llvm(it, llvm);
  return number_module(it, it->started ? kinds[stage] : REPORT_INPUT, module);
}

bool report_track_pass(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  report_tracker_t *it = user_data;
  return position->stage != NEREID_PIPELINE_FRAMES || position->pass ||
         report_add_buffers(it->report, it->stage, &it->numbering, module);
}
