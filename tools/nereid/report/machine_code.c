/* Assembles PTX whose .loc directives are its own line numbers, and reads the line numbers of the disassembly.
 *
 *   .loc 1 377                        //## File "<ptx>", line 377
 *   add.s32 %r1, %r2, %r3;    ->              /\*0100*\/    IADD3 R4, R5, R6, RZ ;         parent: line 377
 *
 * The .loc directives of the text itself are left out; its line numbers stay. */
#include "tools/nereid/report/machine_code.h"

#include "nereid/compile.h"
#include "nereid/metadata.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool starts_with(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

static nereid_view_t trim(nereid_view_t text) {
  while (text.size && isspace((unsigned char)*text.data))
    text = nereid_view_of(text.data + 1, text.size - 1);
  return text;
}

/* --- PTX with line numbers --- */

/* Prints the PTX with a .loc before each instruction. Returns it with its size; null when out of memory. */
static char *number_lines(const report_t *report, size_t *out_size) {
  const report_stage_t *ptx = &report->stages[REPORT_PTX];
  char *text = NULL;
  bool in_section = false;
  FILE *out = open_memstream(&text, out_size);
  for (uint32_t i = 1; out && i <= ptx->n_lines; ++i) {
    const nereid_view_t line = ptx->lines[i].text, code = trim(line);
    in_section |= starts_with(code, ".section");
    if (starts_with(code, ".loc") || starts_with(code, ".file") || in_section) {
      in_section &= !starts_with(code, "}");
      continue;
    }
    if (ptx->lines[i].op)
      fprintf(out, "\t.loc 1 %u 0\n", i);
    fprintf(out, "%.*s\n", (int)line.size, line.data);
  }
  if (out)
    fprintf(out, "\t.file 1 \"<ptx>\"\n");
  if (!out || fclose(out)) {
    free(text);
    return NULL;
  }
  return text;
}

/* --- the assembler --- */

static void keep_error(void *user_data, const nereid_diagnostic_t *diagnostic) {
  report_t *report = user_data;
  if (diagnostic->severity == NEREID_SEVERITY_ERROR || diagnostic->severity == NEREID_SEVERITY_WARNING)
    report_add_message(report, diagnostic->severity == NEREID_SEVERITY_ERROR ? "note" : "warning", REPORT_PTX, "%s",
                       diagnostic->message);
}

static void keep_machine(report_t *report, const nereid_result_t *result) {
  nereid_message_t message;
  nereid_metadata_t metadata;
  if (nereid_metadata_parse(report->arena, nereid_result_metadata(result), &metadata, &message))
    return;
  report->machine = (report_machine_t){.assembled = true,
                                       .registers = nereid_result_registers(result),
                                       .spill_stores = metadata.spill_stores,
                                       .spill_loads = metadata.spill_loads,
                                       .shared = metadata.shared,
                                       .assembler = metadata.assembler};
}

/* --- the disassembler --- */

/* Returns the path of nvdisasm; null when it is not installed. */
static const char *find_nvdisasm(nereid_arena_t *arena) {
  const char *path = getenv("PATH"), *home = getenv("CUDA_HOME");
  const char *all =
      nereid_arena_format(arena, "%s:%s%s/usr/local/cuda/bin", path ? path : "", home ? home : "", home ? "/bin:" : "");
  for (const char *at = all; at && *at; at += strcspn(at, ":"), at += *at == ':') {
    const char *file = nereid_arena_format(arena, "%.*s/nvdisasm", (int)strcspn(at, ":"), at);
    if (file && access(file, X_OK) == 0)
      return file;
  }
  return NULL;
}

/* Runs nvdisasm on a file; returns its output, empty when it fails. */
static nereid_view_t run_nvdisasm(nereid_arena_t *arena, const char *program, const char *file) {
  int ends[2];
  nereid_view_t output = {NULL, 0};
  if (pipe(ends))
    return output;
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(ends[1], STDOUT_FILENO);
    if (nowhere >= 0)
      dup2(nowhere, STDERR_FILENO); /* warnings about the format of the file */
    close(ends[0]);
    close(ends[1]);
    execl(program, program, "-g", "-c", file, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  NEREID_VECTOR(char) text = {NULL, 0, 0};
  FILE *in = fdopen(ends[0], "r");
  for (int c; in && (c = fgetc(in)) != EOF;)
    (void)nereid_vector_push(arena, &text, (char)c);
  if (in)
    fclose(in);
  int status = -1;
  if (child > 0)
    waitpid(child, &status, 0);
  if (status == 0)
    output = nereid_view_of(text.data, text.size);
  return output;
}

/* Writes the cubin to a temporary file and disassembles it. */
static nereid_view_t disassemble(report_t *report, const char *program, nereid_view_t cubin) {
  char path[] = "/tmp/nereid-report-XXXXXX";
  const int file = mkstemp(path);
  nereid_view_t text = {NULL, 0};
  if (file >= 0 && write(file, cubin.data, cubin.size) == (ssize_t)cubin.size)
    text = run_nvdisasm(report->arena, program, path);
  if (file >= 0) {
    close(file);
    unlink(path);
  }
  return text;
}

/* --- SASS --- */

/* "IADD3" of "        /\*0100*\/         @P0 IADD3 R4, ...": the word after the address and the guard. */
static const char *opcode_of(nereid_arena_t *arena, nereid_view_t code) {
  const char *at = code.data, *end = at + code.size, *close = NULL;
  for (; at + 1 < end && !close; ++at)
    close = at[0] == '*' && at[1] == '/' ? at + 2 : NULL;
  for (at = close; at && at < end && (*at == ' ' || *at == '\t' || *at == '@');)
    if (*at == '@')
      while (at < end && *at != ' ')
        ++at;
    else
      ++at;
  const char *stop = at;
  while (stop && stop < end && *stop != ' ' && *stop != ';')
    ++stop;
  return at && stop > at ? nereid_arena_copy(arena, nereid_view_of(at, (size_t)(stop - at))) : NULL;
}

/* Joins spaces, which nvdisasm prints in tens. */
static nereid_view_t join_spaces(nereid_arena_t *arena, nereid_view_t code) {
  char *text = nereid_arena_copy(arena, code), *to = text;
  for (size_t i = 0; text && i < code.size; ++i) {
    const bool repeats = isspace((unsigned char)code.data[i]) && i && isspace((unsigned char)code.data[i - 1]);
    if (!repeats)
      *to++ = isspace((unsigned char)code.data[i]) ? ' ' : code.data[i];
  }
  return nereid_view_of(text ? text : "", (size_t)(to - text));
}

/* Keeps the lines of the text section; comments with line numbers become parents. */
static bool read_sass(report_t *report, nereid_view_t text) {
  static const char mark[] = "//## File \"<ptx>\", line ";
  report_stage_t *stage = &report->stages[REPORT_SASS];
  if (!report_stage_split(report, REPORT_SASS, text, "sass"))
    return false;
  uint32_t kept = 0, parent = 0;
  bool in_text = false;
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    report_line_t line = stage->lines[i];
    const nereid_view_t code = trim(line.text);
    if (starts_with(code, ".section"))
      in_text = starts_with(trim(nereid_view_of(code.data + 8, code.size - 8)), ".text");
    if (starts_with(code, mark))
      parent = (uint32_t)strtoul(code.data + sizeof mark - 1, NULL, 10);
    if (!in_text || !code.size || starts_with(code, "//") || starts_with(code, ".section") ||
        (*code.data == '.' && code.data[code.size - 1] != ':'))
      continue;
    if (starts_with(code, "/*")) {
      line.op = opcode_of(report->arena, code);
      line.why = parent ? NULL : "the assembler gives no line";
      if (!report_set_parents(report, &line, &parent, parent != 0 && line.op, REPORT_LINK_LOCATION))
        return false;
    }
    line.text = join_spaces(report->arena, code);
    stage->lines[++kept] = line;
  }
  stage->n_lines = kept;
  return true;
}

static bool add_sass(report_t *report, nereid_view_t cubin) {
  const char *program = find_nvdisasm(report->arena);
  if (!program) {
    report_add_message(report, "note", REPORT_SASS, "nvdisasm was not found: the report has no SASS");
    return true;
  }
  const nereid_view_t text = disassemble(report, program, cubin);
  if (text.size)
    return read_sass(report, text);
  report_add_message(report, "note", REPORT_SASS, "nvdisasm failed: the report has no SASS");
  return true;
}

bool report_assemble(report_t *report, const char *target) {
  size_t size = 0;
  char *numbered = number_lines(report, &size);
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = keep_error, .user_data = report};
  const nereid_compile_options_t options = {
      .size = sizeof options, .emit = NEREID_STAGE_CUBIN, .lineinfo = true, .target = target};
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  nereid_status_t status = numbered ? nereid_compiler_create(&how, &compiler) : NEREID_ERROR_MEMORY;
  if (!status)
    status = nereid_compile(compiler, nereid_view_of(numbered, size), report->input, &options, &result);
  bool done = status != NEREID_ERROR_MEMORY;
  if (!status) {
    keep_machine(report, result);
    done = add_sass(report, nereid_result_bytes(result));
  }
  nereid_result_destroy(result);
  nereid_compiler_destroy(compiler);
  free(numbered);
  return done && !report->arena->failed;
}
