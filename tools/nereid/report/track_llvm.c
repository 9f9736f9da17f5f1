/* Numbers the instructions of optimized LLVM IR, and reads which operations of the llvm dialect they come from.
 *
 *   %7 = add i32 %5, %6, !dbg !12
 *   !12 = !DILocation(line: 512, ...)     ->   its parent is operation 512 of the llvm dialect
 *   !12 = !DILocation(line: 88, column: 1, ...)     its new location, as instruction 88
 *
 * The optimizer drops the locations of merged and new instructions; these take the parents of a user or an operand.
 * The new locations are complete, so that each .loc of the PTX names one instruction. Their column is 1: column 0 is
 * that of functions, whose lines still belong to the llvm dialect. */
#include "tools/nereid/report/tracker.h"

#include "base/map.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

typedef struct instructions {
  nereid_arena_t *arena;
  nereid_map_t number_of; /* LLVMValueRef -> number */
  NEREID_VECTOR(LLVMValueRef) values;
  NEREID_VECTOR(uint32_t) origin; /* number of the operation in the llvm dialect; 0: unknown */
} instructions_t;

/* --- numbers --- */

/* The operation that a location names; lines of libraries that were linked are not operations. */
static uint32_t operation_of(const report_tracker_t *it, LLVMMetadataRef location) {
  unsigned size = 0;
  LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
  LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
  const char *name = file ? LLVMDIFileGetFilename(file, &size) : NULL;
  return it->started && name && nereid_view_equal(nereid_view_of(name, size), nereid_view(it->numbering.marker))
             ? LLVMDILocationGetLine(location)
             : 0;
}

static void add(instructions_t *all, LLVMValueRef value, uint32_t origin) {
  uintptr_t *number = nereid_map_insert(&all->number_of, value);
  if (number)
    *number = all->values.size;
  (void)nereid_vector_push(all->arena, &all->values, value);
  (void)nereid_vector_push(all->arena, &all->origin, origin);
}

static void number_function(const report_tracker_t *it, instructions_t *all, LLVMValueRef function) {
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  add(all, function, it->started && subprogram ? LLVMDISubprogramGetLine(subprogram) : 0);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
      add(all, at, operation_of(it, LLVMInstructionGetDebugLoc(at)));
}

static void relocate(const instructions_t *all) {
  LLVMMetadataRef subprogram = NULL;
  for (size_t i = 1; i < all->values.size; ++i) {
    LLVMValueRef value = all->values.data[i];
    if (LLVMIsAFunction(value)) {
      subprogram = LLVMGetSubprogram(value);
      continue;
    }
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
    if (subprogram)
      LLVMInstructionSetDebugLoc(value, LLVMDIBuilderCreateDebugLocation(context, (unsigned)i, 1, subprogram, NULL));
  }
}

/* --- parents --- */

static uint32_t origin_of(const instructions_t *all, LLVMValueRef value) {
  const uintptr_t *number = nereid_map_find(&all->number_of, value);
  return number && !LLVMIsAFunction(value) ? all->origin.data[*number] : 0;
}

/* Returns the origin of a user or an operand of instruction `number`; 0: none has one. */
static uint32_t relative_origin(const instructions_t *all, size_t number) {
  LLVMValueRef value = all->values.data[number];
  uint32_t origin = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use && !origin; use = LLVMGetNextUse(use))
    origin = origin_of(all, LLVMGetUser(use));
  for (int i = 0; !origin && i < LLVMGetNumOperands(value); ++i)
    origin =
        LLVMIsAInstruction(LLVMGetOperand(value, (unsigned)i)) ? origin_of(all, LLVMGetOperand(value, (unsigned)i)) : 0;
  return origin;
}

/* Returns the origins of instructions without a location: that of a relative, in as many rounds as chains of new
 * instructions need, else of the instruction before in the block or function. Null when out of memory. */
static const uint32_t *complete(const instructions_t *all) {
  enum { ROUNDS = 8 };
  instructions_t copy = *all;
  copy.origin.data = nereid_arena_new(all->arena, uint32_t, all->origin.size);
  if (!copy.origin.data)
    return NULL;
  memcpy(copy.origin.data, all->origin.data, all->origin.size * sizeof *copy.origin.data);
  bool changed = true;
  for (int round = 0; round < ROUNDS && changed; ++round) {
    changed = false;
    for (size_t i = copy.origin.size; i-- > 1;)
      if (!copy.origin.data[i] && !LLVMIsAFunction(copy.values.data[i])) {
        copy.origin.data[i] = relative_origin(&copy, i);
        changed |= copy.origin.data[i] != 0;
      }
  }
  for (size_t i = 2; i < copy.origin.size; ++i)
    if (!copy.origin.data[i] && !LLVMIsAFunction(copy.values.data[i]))
      copy.origin.data[i] = copy.origin.data[i - 1];
  return copy.origin.data;
}

/* --- text --- */

static bool starts_with(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

static const char *find(nereid_view_t text, const char *word) {
  const size_t size = strlen(word);
  for (size_t i = 0; i + size <= text.size; ++i)
    if (memcmp(text.data + i, word, size) == 0)
      return text.data + i;
  return NULL;
}

/* Whether a line exists because of debug information only. */
static bool is_debug(nereid_view_t text) {
  return find(text, " !DI") || find(text, "    #dbg_") || starts_with(text, "!llvm.dbg.cu") ||
         (starts_with(text, "!") && find(text, "\"Debug Info Version\""));
}

/* The numbers of instructions by the number of their metadata node. */
static uint32_t *read_nodes(nereid_arena_t *arena, const report_stage_t *stage) {
  uint32_t *numbers = nereid_arena_new(arena, uint32_t, stage->n_lines + (size_t)1);
  for (uint32_t i = 1; numbers && i <= stage->n_lines; ++i) {
    const char *text = stage->lines[i].text.data;
    const char *line = starts_with(stage->lines[i].text, "!") ? find(stage->lines[i].text, "!DILocation(line: ") : NULL;
    const unsigned long node = line ? strtoul(text + 1, NULL, 10) : 0;
    if (line && node <= stage->n_lines)
      numbers[node] = (uint32_t)strtoul(line + strlen("!DILocation(line: "), NULL, 10);
  }
  return numbers;
}

/* Removes ", !dbg !7" from a line; returns the number of the instruction. */
static uint32_t strip(nereid_arena_t *arena, const uint32_t *nodes, uint32_t n_nodes, report_line_t *line) {
  static const char mark[] = " !dbg !";
  const char *at = find(line->text, mark), *end = line->text.data + line->text.size;
  if (!at)
    return 0;
  char *rest;
  const unsigned long node = strtoul(at + sizeof mark - 1, &rest, 10);
  const size_t kept = (size_t)(at - line->text.data) - (at > line->text.data && at[-1] == ',');
  const char *text = nereid_arena_format(arena, "%.*s%.*s", (int)kept, line->text.data, (int)(end - rest), rest);
  line->text = nereid_view(text);
  return !starts_with(line->text, "define ") && node <= n_nodes ? nodes[node] : 0;
}

/* Returns the line on which the instruction that ends on `line` begins: a switch has several lines. */
static uint32_t first_line(const report_stage_t *stage, uint32_t line) {
  if (!starts_with(stage->lines[line].text, "  ]"))
    return line;
  while (line > 1 && !find(stage->lines[line].text, "switch "))
    --line;
  return line;
}

static const char *opcode_name(nereid_arena_t *arena, nereid_view_t text) {
  const char *at = text.data, *end = at + text.size, *equals = find(text, " = ");
  at = equals && (starts_with(text, "  %")) ? equals + 3 : at;
  while (at < end && *at == ' ')
    ++at;
  if ((size_t)(end - at) > 5 && memcmp(at, "tail ", 5) == 0)
    at += 5;
  const char *stop = at;
  while (stop < end && *stop != ' ')
    ++stop;
  return nereid_arena_copy(arena, nereid_view_of(at, (size_t)(stop - at)));
}

/* Removes debug information; notes the line of each instruction and function. */
static void strip_lines(report_t *report, const instructions_t *all, uint32_t *line_of) {
  report_stage_t *stage = &report->stages[REPORT_LL];
  const uint32_t n_nodes = stage->n_lines, *nodes = read_nodes(report->arena, stage);
  uint32_t kept = 0;
  size_t function = 0;
  for (uint32_t i = 1; nodes && i <= n_nodes; ++i) {
    report_line_t line = stage->lines[i];
    if (is_debug(line.text))
      continue;
    uint32_t number = strip(report->arena, nodes, n_nodes, &line);
    stage->lines[++kept] = line;
    if (starts_with(line.text, "define ")) {
      for (++function; function < all->values.size &&
                       (!LLVMIsAFunction(all->values.data[function]) || LLVMIsDeclaration(all->values.data[function]));)
        ++function;
      number = (uint32_t)function;
    }
    if (!number || number >= all->values.size)
      continue;
    line_of[number] = first_line(stage, kept);
    for (uint32_t k = line_of[number] + 1; k <= kept; ++k)
      stage->lines[k].part_of = line_of[number];
  }
  stage->n_lines = kept;
}

static bool link_lines(report_tracker_t *it, const instructions_t *all, const uint32_t *line_of) {
  report_t *report = it->report;
  const uint32_t *origin = complete(all);
  if (!origin)
    return false;
  for (size_t i = 1; i < all->values.size; ++i) {
    report_line_t *line = &report->stages[REPORT_LL].lines[line_of[i]];
    const uint32_t parent = report_numbered_line(&it->numbering, origin[i]);
    if (!line_of[i])
      continue;
    line->op = LLVMIsAFunction(all->values.data[i]) ? "define" : opcode_name(report->arena, line->text);
    if (!report_set_parents(report, line, &parent, parent != 0,
                            all->origin.data[i] ? REPORT_LINK_LOCATION : REPORT_LINK_USE))
      return false;
    if (!parent)
      line->why = it->started ? "created by the optimizer without a location" : "the input is LLVM IR";
  }
  return true;
}

bool report_track_llvm(report_tracker_t *it, LLVMModuleRef module) {
  report_t *report = it->report;
  if (!it->started && !report->stages[REPORT_INPUT].n_lines) /* the input is LLVM IR, which is optimized next */
    return report_stage_split(report, REPORT_INPUT, it->input, "llvm");
  instructions_t all = {.arena = report->arena};
  nereid_map_initialize(&all.number_of, report->arena);
  (void)nereid_vector_push(all.arena, &all.values, NULL);
  (void)nereid_vector_push(all.arena, &all.origin, 0);
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    number_function(it, &all, function);
  relocate(&all);
  char *printed = LLVMPrintModuleToString(module);
  const char *text = printed ? nereid_arena_copy(report->arena, nereid_view(printed)) : NULL;
  LLVMDisposeMessage(printed);
  uint32_t *line_of = nereid_arena_new(report->arena, uint32_t, all.values.size);
  if (!text || !line_of || report->arena->failed || !report_stage_split(report, REPORT_LL, nereid_view(text), "llvm"))
    return false;
  strip_lines(report, &all, line_of);
  if (!link_lines(it, &all, line_of))
    return false;
  it->numbering = (report_numbering_t){.marker = "<llvm>", .count = (uint32_t)all.values.size - 1, .line = line_of};
  it->stage = REPORT_LL;
  it->started = true;
  return true;
}
