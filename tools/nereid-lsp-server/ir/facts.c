/* Axis information is computed on the program itself. Shared memory is allocated in a copy, because the allocation
 * records the warps of called functions; its operations correspond to those of the program by their order. */
#include "tools/nereid-lsp-server/ir/facts.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "base/vector.h"
#include "passes/memory/called_warps.h"
#include "passes/properties.h"
#include "python-free-bindings/compile/session.h"

#include <stdlib.h>

typedef struct op_list {
  nereid_arena_t *arena;
  NEREID_VECTOR(MlirOperation) ops;
} op_list_t;

struct lsp_facts {
  nereid_arena_t arena;
  bool has_axis, has_memory;
  nereid_axis_result_t axis;
  MlirOperation copy; /* copy of the module; null: none */
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  nereid_map_t buffers;   /* operation of the program -> nereid_buffer_t * */
  nereid_map_t functions; /* function of the program -> nereid_frame_t * */
};

static MlirLogicalResult ignore(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic;
  (void)data;
  return mlirLogicalResultSuccess();
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  op_list_t *list = data;
  return nereid_vector_push(list->arena, &list->ops, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static bool has_layouts(MlirOperation module) {
  const uint32_t required = NEREID_IR_LAYOUTS | NEREID_IR_THREAD_GRID, asked = required | NEREID_IR_LOWERED;
  return (nereid_properties_find(module, asked).holding & asked) == required;
}

static bool set(nereid_map_t *map, MlirOperation op, const void *value) {
  uintptr_t *slot = nereid_map_insert(map, op.ptr);
  if (slot)
    *slot = (uintptr_t)value;
  return slot != NULL;
}

/* Maps the operations of the program to the buffers and frames of the copy. */
static bool map_to_program(lsp_facts_t *facts, MlirOperation module) {
  op_list_t originals = {.arena = &facts->arena}, copies = {.arena = &facts->arena};
  nereid_map_t original_of;
  nereid_map_initialize(&original_of, &facts->arena);
  mlirOperationWalk(module, collect, &originals, MlirWalkPreOrder);
  mlirOperationWalk(facts->copy, collect, &copies, MlirWalkPreOrder);
  if (originals.ops.size != copies.ops.size)
    return false;
  for (size_t i = 0; i < copies.ops.size; ++i)
    if (!set(&original_of, copies.ops.data[i], originals.ops.data[i].ptr))
      return false;
  for (size_t f = 0; f < facts->calls.functions.size; ++f) {
    const nereid_call_function_t *function = &facts->calls.functions.data[f];
    const nereid_frame_t *frame = &facts->allocation.frames[f];
    if (!function->has_body)
      continue;
    const MlirOperation original = {(void *)*nereid_map_find(&original_of, function->op.ptr)};
    if (!set(&facts->functions, original, frame))
      return false;
    for (size_t i = 0; i < frame->count; ++i) {
      const MlirOperation op = {(void *)*nereid_map_find(&original_of, frame->buffers[i].op.ptr)};
      if (!mlirOperationEqual(op, original) && !set(&facts->buffers, op, &frame->buffers[i]))
        return false;
    }
  }
  return true;
}

static bool allocate(lsp_facts_t *facts, MlirOperation module) {
  if (!has_layouts(module))
    return false;
  facts->copy = mlirOperationClone(module);
  return nereid_call_graph_build(facts->copy, &facts->arena, &facts->calls) == NEREID_OK &&
         nereid_called_warps_set(&facts->calls, &facts->arena) &&
         nereid_allocation_run(&facts->calls, nereid_scratch_bytes, &facts->arena, &facts->allocation) &&
         map_to_program(facts, module);
}

/* Runs the analyses once; null when the program is not valid or out of memory. */
static lsp_facts_t *facts_of(lsp_program_t *program) {
  if (program->facts || !program->is_valid)
    return program->facts;
  lsp_facts_t *facts = calloc(1, sizeof *facts);
  if (!facts)
    return NULL;
  const MlirContext context = program->context->context;
  const MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(context, ignore, NULL, NULL);
  nereid_arena_initialize(&facts->arena);
  nereid_map_initialize(&facts->buffers, &facts->arena);
  nereid_map_initialize(&facts->functions, &facts->arena);
  facts->has_axis = nereid_axis_info_run(program->module, &facts->arena, &facts->axis) == NEREID_OK;
  facts->has_memory = allocate(facts, program->module);
  mlirContextDetachDiagnosticHandler(context, handler);
  program->facts = facts;
  return facts;
}

void lsp_facts_destroy(lsp_facts_t *facts) {
  if (!facts)
    return;
  if (!mlirOperationIsNull(facts->copy))
    mlirOperationDestroy(facts->copy);
  nereid_arena_deinitialize(&facts->arena);
  free(facts);
}

const char *lsp_facts_axis(lsp_program_t *program, MlirValue value, nereid_arena_t *arena) {
  const lsp_facts_t *facts = facts_of(program);
  const nereid_axis_info_t *info = facts && facts->has_axis ? nereid_axis_info_get(&facts->axis, value) : NULL;
  if (!info || !info->reached || info->rank == 0 || info->width == 0)
    return NULL;
  return nereid_axis_info_format(info, arena);
}

/* The function of the program that contains `op`. */
static MlirOperation function_of(const lsp_facts_t *facts, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !nereid_map_find(&facts->functions, op.ptr))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static void print(nereid_text_builder_t *text, const char *line) {
  if (line)
    nereid_text_builder_append(mlirStringRefCreateFromCString(line), text);
}

static void print_buffer(nereid_text_builder_t *text, const nereid_buffer_t *buffer, const char *what) {
  print(text, nereid_arena_format(text->arena, "%s%s: bytes %lld to %lld (%lld bytes, alignment %lld)",
                                  text->size ? "\n" : "", what, (long long)buffer->offset,
                                  (long long)(buffer->offset + buffer->bytes - 1), (long long)buffer->bytes,
                                  (long long)buffer->alignment));
}

const char *lsp_facts_buffers(lsp_program_t *program, MlirValue value, nereid_arena_t *arena) {
  lsp_facts_t *facts = facts_of(program);
  if (!facts || !facts->has_memory || !nereid_alias_is_buffer(value))
    return NULL;
  const MlirOperation inside = mlirValueIsABlockArgument(value)
                                   ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                                   : mlirOpResultGetOwner(value);
  const MlirOperation function = function_of(facts, inside);
  nereid_flow_graph_t graph;
  nereid_alias_t alias;
  nereid_text_builder_t text = {.arena = arena};
  if (mlirOperationIsNull(function) || !nereid_flow_graph_build(function, arena, &graph) ||
      !nereid_alias_run(&graph, NULL, arena, &alias))
    return NULL;
  const nereid_alias_set_t buffers = nereid_alias_of(&alias, value);
  for (uint32_t i = 0; i < buffers.count; ++i) {
    const MlirOperation alloc = alias.buffers.data[buffers.buffers[i]].alloc;
    const uintptr_t *slot = mlirOperationIsNull(alloc) ? NULL : nereid_map_find(&facts->buffers, alloc.ptr);
    if (slot)
      print_buffer(&text, (const nereid_buffer_t *)*slot,
                   buffers.count > 1 ? "may be in shared memory" : "shared memory");
  }
  return text.data;
}

const char *lsp_facts_memory(lsp_program_t *program, MlirOperation op, nereid_arena_t *arena) {
  lsp_facts_t *facts = facts_of(program);
  if (!facts || !facts->has_memory)
    return NULL;
  static const char *const names[] = {[NEREID_BUFFER_EXPLICIT] = "shared memory",
                                      [NEREID_BUFFER_SCRATCH] = "scratch in shared memory",
                                      [NEREID_BUFFER_VIRTUAL] = "frame of the callee in shared memory"};
  nereid_text_builder_t text = {.arena = arena};
  const uintptr_t *buffer = nereid_map_find(&facts->buffers, op.ptr);
  const uintptr_t *frame = nereid_map_find(&facts->functions, op.ptr);
  if (buffer)
    print_buffer(&text, (const nereid_buffer_t *)*buffer, names[((const nereid_buffer_t *)*buffer)->kind]);
  if (frame)
    print(&text, nereid_arena_format(arena, "shared memory: %lld bytes; at most %lld are live at the same time",
                                     (long long)((const nereid_frame_t *)*frame)->bytes,
                                     (long long)((const nereid_frame_t *)*frame)->bound));
  return text.data;
}
