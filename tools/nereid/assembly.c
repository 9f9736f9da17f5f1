/* Runs inline assembly of the tensor IR on the PTX emulator.
 *
 *   "add.u32 $0, $1, $2;"  "=r,r,r"     →     .entry assembly(in, out, n) {
 *                                               ld.global.b64 of each operand; cvt to %a0, %a1
 *                                               { add.u32 %o0, %a0, %a1; }
 *                                               st.global.b64 of %o0, widened
 *                                             }
 *
 * Each thread of the kernel executes one call. Every register is passed as 64 bits. Constraints are those of LLVM's
 * NVPTX target: b, c, h, r, l, f, d, and a number for an operand that is tied to the register of that result. */
#include "tools/nereid/assembly.h"

#include "base/arena.h"
#include "nereid/emulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 128, LIMIT = 64 };

/* The alignment of the memory that holds the registers. It keeps that memory apart from every address that the
 * interpreter assigns to a buffer: assembly that accesses memory reports an error and cannot access its own
 * registers. */
#define APART (UINT64_C(1) << 56)

/* A register class, selected by the letter of the constraint. */
typedef struct register_class {
  char letter;
  const char *type, *in, *out; /* conversion from and to %w (64 bits); %s is the register */
} register_class_t;

static const register_class_t classes[] = {
    {'b', ".pred", "setp.ne.b64 %s, %%w, 0;", "selp.b64 %%w, 1, 0, %s;"},
    {'c', ".b16", "cvt.u16.u64 %s, %%w;", "cvt.u64.u16 %%w, %s;"},
    {'h', ".b16", "cvt.u16.u64 %s, %%w;", "cvt.u64.u16 %%w, %s;"},
    {'r', ".b32", "cvt.u32.u64 %s, %%w;", "cvt.u64.u32 %%w, %s;"},
    {'f', ".b32", "cvt.u32.u64 %s, %%w;", "cvt.u64.u32 %%w, %s;"},
    {'l', ".b64", "mov.b64 %s, %%w;", "mov.b64 %%w, %s;"},
    {'d', ".b64", "mov.b64 %s, %%w;", "mov.b64 %%w, %s;"},
};

typedef struct writer {
  nereid_arena_t *arena;
  const nereid_interpreter_assembly_t *assembly;
  nereid_message_t *message;
  char *text;
  size_t size, capacity;
  const register_class_t *of[LIMIT]; /* results, then operands */
  char names[LIMIT][8];
} writer_t;

static void append(writer_t *writer, const char *data, size_t size) {
  if (writer->size + size + 1 > writer->capacity) {
    const size_t capacity = 2 * (writer->size + size) + 1024;
    char *grown = nereid_arena_new(writer->arena, char, capacity);
    if (!grown)
      return;
    if (writer->size)
      memcpy(grown, writer->text, writer->size);
    writer->text = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->text + writer->size, data, size);
  writer->size += size;
}

static void print(writer_t *writer, const char *format, ...) NEREID_PRINTF(2, 3);
static void print(writer_t *writer, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  append(writer, line, size < (int)sizeof line ? (size_t)size : sizeof line - 1);
}

static bool refuse(writer_t *writer, const char *what, nereid_view_t part) {
  (void)!nereid_message_set(writer->message, NEREID_ERROR_UNSUPPORTED, "%s '%.*s'", what, (int)part.size, part.data);
  return false;
}

/* --- constraints --- */

static const register_class_t *class_of(char letter) {
  for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i)
    if (classes[i].letter == letter)
      return &classes[i];
  return NULL;
}

/* One constraint: "=r", "=&f", "l", "0". */
static bool read_constraint(writer_t *writer, nereid_view_t part, size_t index) {
  const size_t n_results = writer->assembly->n_results;
  const bool result = index < n_results;
  size_t at = 0;
  if (result)
    at = part.size > 1 && part.data[1] == '&' ? 2 : 1;
  if (part.size != at + 1 || result != (part.data[0] == '='))
    return refuse(writer, "constraint", part);
  const char letter = part.data[at];
  const size_t tied = (size_t)(letter - '0');
  writer->of[index] = !result && letter >= '0' && tied < n_results ? writer->of[tied] : class_of(letter);
  if (!writer->of[index])
    return refuse(writer, "constraint", part);
  if (!result && letter >= '0' && letter <= '9')
    memcpy(writer->names[index], writer->names[tied], sizeof writer->names[index]);
  else
    snprintf(writer->names[index], sizeof writer->names[index], "%%%c%zu", result ? 'o' : 'a', index);
  return true;
}

static bool read_constraints(writer_t *writer) {
  const nereid_interpreter_assembly_t *assembly = writer->assembly;
  const nereid_view_t all = assembly->constraints;
  const size_t n = assembly->n_results + assembly->n_operands;
  size_t index = 0;
  for (size_t from = 0; from <= all.size;) {
    const char *comma = memchr(all.data + from, ',', all.size - from);
    const size_t end = comma ? (size_t)(comma - all.data) : all.size;
    const nereid_view_t part = nereid_view_of(all.data + from, end - from);
    from = end + 1;
    if (part.size && part.data[0] == '~') /* a clobber */
      continue;
    if (index == n || index == LIMIT)
      return refuse(writer, "more constraints than registers in", all);
    if (!read_constraint(writer, part, index++))
      return false;
  }
  return index == n || refuse(writer, "fewer constraints than registers in", all);
}

/* --- the kernel --- */

/* Reads the register reference at `text`, after its $: "0", "{1}" or "{2:x}". Returns its length; 0 when `text` does
 * not begin with a reference. */
static size_t read_reference(nereid_view_t text, size_t *out_number) {
  const bool brace = text.size && text.data[0] == '{';
  size_t at = brace, first = at;
  *out_number = 0;
  for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && *out_number < LIMIT; ++at)
    *out_number = *out_number * 10 + (size_t)(text.data[at] - '0');
  if (at == first)
    return 0;
  if (!brace)
    return at;
  const char *end = memchr(text.data + at, '}', text.size - at);
  return end ? (size_t)(end - text.data) + 1 : 0;
}

/* Appends the text with registers substituted, and $ for $$. */
static bool substitute(writer_t *writer) {
  const nereid_view_t text = writer->assembly->text;
  const size_t n = writer->assembly->n_results + writer->assembly->n_operands;
  for (size_t i = 0; i < text.size; ++i) {
    if (text.data[i] != '$' || (i + 1 < text.size && text.data[i + 1] == '$')) {
      append(writer, &text.data[i], 1);
      i += text.data[i] == '$';
      continue;
    }
    size_t number;
    const size_t size = read_reference(nereid_view_of(text.data + i + 1, text.size - i - 1), &number);
    if (!size || number >= n || number >= LIMIT)
      return refuse(writer, "a register that does not exist in", text);
    append(writer, writer->names[number], strlen(writer->names[number]));
    i += size;
  }
  return true;
}

/* Copies register k of call i from or to word k * n + i. */
static void move(writer_t *writer, size_t k, const char *name, const register_class_t *class, bool in) {
  char line[96];
  snprintf(line, sizeof line, in ? class->in : class->out, name); /* NOLINT(clang-diagnostic-format-nonliteral) */
  if (!in)
    print(writer, "  %s\n", line);
  print(writer, "  mad.lo.u64 %%p, %zu, %%n, %%i;\n  shl.b64 %%p, %%p, 3;\n  add.u64 %%p, %%p, %s;\n", k,
        in ? "%from" : "%to");
  print(writer, in ? "  ld.global.b64 %%w, [%%p];\n" : "  st.global.b64 [%%p], %%w;\n");
  if (in)
    print(writer, "  %s\n", line);
}

static bool write_kernel(writer_t *writer) {
  const nereid_interpreter_assembly_t *assembly = writer->assembly;
  const size_t n_results = assembly->n_results, n = n_results + assembly->n_operands;
  print(writer, ".version 8.7\n.target sm_90a\n.address_size 64\n"
                ".visible .entry assembly(.param .u64 in, .param .u64 out, .param .u64 n)\n{\n"
                "  .reg .b64 %%w, %%p, %%i, %%n, %%from, %%to;\n  .reg .b32 %%t, %%c;\n  .reg .pred %%past;\n");
  for (size_t k = 0; k < n; ++k)
    if (k < n_results || writer->names[k][1] == 'a')
      print(writer, "  .reg %s %s;\n", writer->of[k]->type, writer->names[k]);
  print(writer,
        "  ld.param.b64 %%from, [in];\n  ld.param.b64 %%to, [out];\n  ld.param.b64 %%n, [n];\n"
        "  mov.u32 %%t, %%tid.x;\n  mov.u32 %%c, %%ctaid.x;\n  mad.lo.u32 %%t, %%c, %d, %%t;\n"
        "  cvt.u64.u32 %%i, %%t;\n  setp.ge.u64 %%past, %%i, %%n;\n  @%%past exit;\n",
        THREADS);
  for (size_t k = n_results; k < n; ++k)
    move(writer, k - n_results, writer->names[k], writer->of[k], true);
  print(writer, "  {\n");
  if (!substitute(writer))
    return false;
  print(writer, "\n  }\n");
  for (size_t k = 0; k < n_results; ++k)
    move(writer, k, writer->names[k], writer->of[k], false);
  print(writer, "  ret;\n}\n");
  return true;
}

/* --- running it --- */

static nereid_status_t launch(const nereid_interpreter_assembly_t *assembly, const nereid_emulator_program_t *program,
                              nereid_emulator_memory_t *memory, nereid_message_t *message) {
  uint64_t parameters[3] = {0, 0, assembly->n_calls};
  const size_t bytes = assembly->n_calls * sizeof(uint64_t);
  nereid_emulator_report_t report = {0};
  nereid_status_t status = NEREID_OK;
  if (assembly->n_operands)
    status = nereid_emulator_memory_add(memory, (void *)(uintptr_t)assembly->operands, assembly->n_operands * bytes,
                                        APART, "operands", &parameters[0]);
  if (!status)
    status = nereid_emulator_memory_add(memory, assembly->results, assembly->n_results * bytes, APART, "results",
                                        &parameters[1]);
  if (status)
    return nereid_message_set(message, status, "out of memory");
  const nereid_emulator_launch_t how = {
      .grid = {(uint32_t)((assembly->n_calls + THREADS - 1) / THREADS), 1, 1},
      .block = {THREADS, 1, 1},
      .parameters = parameters,
      .parameter_bytes = sizeof parameters,
      .memory = memory,
      .threads = 1,
  };
  status = nereid_emulator_run(nereid_emulator_kernel(program, NULL), &how, &report);
  return status ? nereid_message_set(message, status, "%s", report.message.text) : NEREID_OK;
}

bool tool_run_assembly(const nereid_interpreter_assembly_t *assembly, void *user_data, nereid_message_t *message) {
  nereid_arena_t arena;
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  nereid_status_t status = NEREID_ERROR_UNSUPPORTED;
  (void)user_data;
  nereid_arena_initialize(&arena);
  writer_t writer = {.arena = &arena, .assembly = assembly, .message = message};
  if (read_constraints(&writer) && write_kernel(&writer))
    status = arena.failed
                 ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                 : nereid_emulator_load(nereid_view_of(writer.text, writer.size), "assembly", &program, message);
  if (!status)
    status = nereid_emulator_memory_create(&memory);
  if (!status)
    status = launch(assembly, program, memory, message);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
  nereid_arena_deinitialize(&arena);
  return status == NEREID_OK;
}
