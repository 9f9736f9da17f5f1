/* Adds the call sites of inlined code to PTX.
 *
 *   .loc 2 7 3   // lib.py:7:3 @[ k.py:20:5 ]   →   .loc 1 20 5
 *                                                   .loc 2 7 3, function_name $L__inlined0, inlined_at 1 20 5   // …
 *
 * LLVM 22 emits a line of inlined code as a line of the kernel, with the call chain only in a comment. PTX has a syntax
 * for it (PTX ISA, ".loc"): the location of the call, which must be that of an earlier .loc, and the label of the
 * callee's name in a section .debug_str. (The assemblers of CUDA 12.8 and 13.0 record the location of a call in the
 * file of the preceding instruction. In 4,045 chains of test kernels that file was correct.) Names are read from the
 * module, by location, before it is compiled. A module that requests debug sections gets them, but its PTX must not
 * specify `debug`, which disables optimization in the assembler. */
#include "target/ptx/inlined_lines.h"

#include "base/map.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>

/* --- names, from the module --- */

static LLVMMetadataRef operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index) {
  enum { LIMIT = 32 };
  LLVMValueRef value = LLVMMetadataAsValue(context, node), operands[LIMIT];
  unsigned count = LLVMGetMDNodeNumOperands(value);
  if (index >= count || count > LIMIT)
    return NULL;
  LLVMGetMDNodeOperands(value, operands);
  return operands[index] ? LLVMValueAsMetadata(operands[index]) : NULL;
}

/* The name of the function of `scope`: operand 2 of a DISubprogram; operand 1 of a block is its parent scope. */
static nereid_view_t function_name(LLVMContextRef context, LLVMMetadataRef scope) {
  while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
    scope = operand(context, scope, 1);
  LLVMMetadataRef name = scope ? operand(context, scope, 2) : NULL;
  unsigned size = 0;
  const char *text = name ? LLVMGetMDString(LLVMMetadataAsValue(context, name), &size) : NULL;
  return nereid_view_of(text, size);
}

static bool collect_location(nereid_inlined_lines_t *lines, nereid_map_t *seen, LLVMContextRef context,
                             LLVMMetadataRef location) {
  for (; location && LLVMDILocationGetInlinedAt(location); location = LLVMDILocationGetInlinedAt(location)) {
    uintptr_t *known = nereid_map_insert(seen, location);
    if (!known)
      return false;
    if (*known)
      break;
    *known = 1;
    LLVMMetadataRef scope = LLVMDILocationGetScope(location);
    LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
    unsigned size = 0;
    const char *path = file ? LLVMDIFileGetFilename(file, &size) : NULL;
    const nereid_inlined_place_t place = {nereid_view_of(path, size), LLVMDILocationGetLine(location),
                                          LLVMDILocationGetColumn(location), function_name(context, scope)};
    if (!nereid_vector_push(lines->arena, &lines->places, place))
      return false;
  }
  return true;
}

bool nereid_inlined_lines_collect(nereid_inlined_lines_t *lines, LLVMModuleRef module, nereid_arena_t *arena) {
  *lines = (nereid_inlined_lines_t){.arena = arena};
  lines->enabled = LLVMGetNamedMetadata(module, "llvm.dbg.cu", strlen("llvm.dbg.cu")) != NULL;
  if (!lines->enabled)
    return true;
  nereid_map_t seen;
  nereid_map_initialize(&seen, arena);
  bool done = true;
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef it = LLVMGetFirstInstruction(block); it && done; it = LLVMGetNextInstruction(it))
        done = collect_location(lines, &seen, LLVMGetModuleContext(module), LLVMInstructionGetDebugLoc(it));
  return done;
}

/* --- frames, from the comments of the PTX --- */

/* One location of a call chain. `chain` is the text from it outwards, which distinguishes it from the same location
 * with another caller. */
typedef struct frame {
  nereid_view_t file, chain;
  unsigned file_index, line, column;
} frame_t;

typedef struct writer {
  nereid_inlined_lines_t *lines;
  FILE *out;
  NEREID_VECTOR(nereid_view_t) files;  /* by index of their .file directive; 0 is none */
  NEREID_VECTOR(nereid_view_t) names;  /* by number of their label */
  NEREID_VECTOR(frame_t) recorded;     /* locations of the .loc directives of this function, the newest of each */
  NEREID_VECTOR(unsigned) added_files; /* that have no directive yet */
} writer_t;

static bool starts_with(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

/* Removes the number at the start of `text` and returns it. */
static unsigned take_number(nereid_view_t *text) {
  uint64_t value = 0;
  while (text->size && *text->data >= '0' && *text->data <= '9') {
    value = value * 10 + (uint64_t)(*text->data - '0');
    *text = nereid_view_of(text->data + 1, text->size - 1);
    if (value > UINT16_MAX) /* no file */
      return 0;
  }
  return (unsigned)value;
}

/* Removes ":number" at the end. */
static bool cut_number(nereid_view_t *text, unsigned *out) {
  size_t at = text->size;
  uint64_t value = 0, scale = 1;
  while (at > 0 && text->data[at - 1] >= '0' && text->data[at - 1] <= '9' && scale < 10000000000) {
    value += (uint64_t)(text->data[--at] - '0') * scale;
    scale *= 10;
  }
  if (at == text->size || at == 0 || text->data[at - 1] != ':' || value > UINT32_MAX)
    return false;
  *text = nereid_view_of(text->data, at - 1);
  *out = (unsigned)value;
  return true;
}

/* "file:line:column", or "file:line" of column 0. */
static bool read_place(nereid_view_t text, frame_t *out) {
  unsigned last, before;
  if (!cut_number(&text, &last))
    return false;
  bool both = cut_number(&text, &before);
  out->line = both ? before : last;
  out->column = both ? last : 0;
  out->file = text;
  return true;
}

enum { DEPTH_LIMIT = 64, LOC_DIRECTIVE = sizeof "\t.loc\t" - 1, FILE_DIRECTIVE = sizeof "\t.file\t" - 1 };

/* The frames of "a:1:2 @[ b:3:4 @[ c:5:6 ] ]", innermost first; their number, 0 when it is none of that. */
static size_t read_chain(nereid_view_t text, frame_t *frames) {
  static const char at[] = " @[ ";
  size_t count = 0;
  while (text.size >= 2 && memcmp(text.data + text.size - 2, " ]", 2) == 0)
    text.size -= 2;
  for (; count < DEPTH_LIMIT; count++) {
    const char *next = memmem(text.data, text.size, at, sizeof at - 1);
    nereid_view_t place = nereid_view_of(text.data, next ? (size_t)(next - text.data) : text.size);
    frames[count].chain = text;
    if (!read_place(place, &frames[count]))
      return 0;
    if (!next)
      return count + 1;
    text = nereid_view_of(next + sizeof at - 1, text.size - place.size - (sizeof at - 1));
  }
  return 0;
}

/* The index of a file, possibly given by the last component of its path. A new file gets a directive. 0 if out of
 * memory. */
static unsigned file_index(writer_t *writer, nereid_view_t name) {
  for (size_t i = 1; i < writer->files.size; i++) {
    nereid_view_t path = writer->files.data[i];
    if (path.size < name.size || memcmp(path.data + path.size - name.size, name.data, name.size) != 0)
      continue;
    if (path.size == name.size || path.data[path.size - name.size - 1] == '/')
      return (unsigned)i;
  }
  unsigned index = writer->files.size ? (unsigned)writer->files.size : 1;
  while (writer->files.size < index)
    if (!nereid_vector_push(writer->lines->arena, &writer->files, (nereid_view_t){NULL, 0}))
      return 0;
  return nereid_vector_push(writer->lines->arena, &writer->files, name) &&
                 nereid_vector_push(writer->lines->arena, &writer->added_files, index)
             ? index
             : 0;
}

/* The name of the function at the location of `frame`; the name of its file if unknown. */
static nereid_view_t name_at(const writer_t *writer, const frame_t *frame) {
  for (size_t i = 0; i < writer->lines->places.size; i++) {
    const nereid_inlined_place_t *place = &writer->lines->places.data[i];
    if (place->line == frame->line && place->column == frame->column && nereid_view_equal(place->file, frame->file) &&
        place->name.size)
      return place->name;
  }
  return frame->file;
}

static size_t label_of(writer_t *writer, nereid_view_t name) {
  for (size_t i = 0; i < writer->names.size; i++)
    if (nereid_view_equal(writer->names.data[i], name))
      return i;
  (void)nereid_vector_push(writer->lines->arena, &writer->names, name);
  return writer->names.size - 1;
}

/* --- writing --- */

/* Records `frame` as the newest .loc of its location; true if it already was. */
static bool remember(writer_t *writer, const frame_t *frame) {
  for (size_t i = 0; i < writer->recorded.size; i++) {
    frame_t *it = &writer->recorded.data[i];
    if (it->file_index != frame->file_index || it->line != frame->line || it->column != frame->column)
      continue;
    bool same = nereid_view_equal(it->chain, frame->chain);
    it->chain = frame->chain;
    return same;
  }
  (void)nereid_vector_push(writer->lines->arena, &writer->recorded, *frame);
  return false;
}

static void write_location(writer_t *writer, const frame_t *frame, const frame_t *caller) {
  fprintf(writer->out, "\t.loc\t%u %u %u", frame->file_index, frame->line, frame->column);
  if (caller)
    fprintf(writer->out, ", function_name $L__inlined%zu, inlined_at %u %u %u",
            label_of(writer, name_at(writer, frame)), caller->file_index, caller->line, caller->column);
}

/* A line with a .loc: emits missing .loc directives of call sites, then the line itself. */
static void write_line(writer_t *writer, nereid_view_t line) {
  frame_t frames[DEPTH_LIMIT];
  static const char comment[] = "// ";
  const char *text = memmem(line.data, line.size, comment, sizeof comment - 1);
  size_t depth = 0;
  if (text)
    depth = read_chain(nereid_view_of(text + 3, (size_t)(line.data + line.size - text) - 3), frames);
  for (size_t i = 1; i < depth; i++)
    frames[i].file_index = file_index(writer, frames[i].file);
  nereid_view_t number = nereid_view_of(line.data + LOC_DIRECTIVE, line.size - LOC_DIRECTIVE);
  frames[0].file_index = take_number(&number);
  for (size_t i = depth; i > 1; i--)
    if (!remember(writer, &frames[i - 1])) {
      write_location(writer, &frames[i - 1], i < depth ? &frames[i] : NULL);
      fputc('\n', writer->out);
    }
  if (depth < 2) {
    fwrite(line.data, 1, line.size, writer->out);
  } else {
    write_location(writer, &frames[0], &frames[1]);
    fprintf(writer->out, " %.*s", (int)(line.data + line.size - text), text);
  }
  if (depth)
    (void)remember(writer, &frames[0]);
}

/* Replaces characters that are invalid in PTX strings and comments by question marks. */
static void write_text(FILE *out, nereid_view_t text) {
  for (size_t i = 0; i < text.size; i++) {
    const char c = text.data[i];
    fputc((unsigned char)c < ' ' || c == '"' || c == '\\' ? '?' : c, out);
  }
}

static void write_names(writer_t *writer) {
  for (size_t i = 0; i < writer->added_files.size; i++) {
    unsigned index = writer->added_files.data[i];
    fprintf(writer->out, "\t.file\t%u \"", index);
    write_text(writer->out, writer->files.data[index]);
    fputs("\"\n", writer->out);
  }
  if (!writer->names.size)
    return;
  fputs("\t.section\t.debug_str\n\t{\n", writer->out);
  for (size_t i = 0; i < writer->names.size; i++) {
    nereid_view_t name = writer->names.data[i];
    fprintf(writer->out, "$L__inlined%zu: // ", i);
    write_text(writer->out, name);
    fputs("\n\t.b8 ", writer->out);
    for (size_t c = 0; c < name.size; c++)
      fprintf(writer->out, "%u,", (unsigned)(unsigned char)name.data[c]);
    fputs("0\n", writer->out);
  }
  fputs("\t}\n", writer->out);
}

/* `	.file	2 "path"` */
static bool read_file_directive(writer_t *writer, nereid_view_t line) {
  nereid_view_t rest = nereid_view_of(line.data + FILE_DIRECTIVE, line.size - FILE_DIRECTIVE);
  unsigned index = take_number(&rest);
  if (!index || !starts_with(rest, " \""))
    return true;
  rest = nereid_view_of(rest.data + 2, rest.size - 2);
  const char *quote = memchr(rest.data, '"', rest.size);
  while (writer->files.size <= index)
    if (!nereid_vector_push(writer->lines->arena, &writer->files, (nereid_view_t){NULL, 0}))
      return false;
  writer->files.data[index] = nereid_view_of(rest.data, quote ? (size_t)(quote - rest.data) : 0);
  return true;
}

/* The line at `text`, without its end; `text` becomes what follows. */
static nereid_view_t next_line(nereid_view_t *text) {
  const char *end = memchr(text->data, '\n', text->size);
  nereid_view_t line = nereid_view_of(text->data, end ? (size_t)(end - text->data) : text->size);
  size_t step = line.size + (end ? 1 : 0);
  *text = nereid_view_of(text->data + step, text->size - step);
  return line;
}

static void write_all(writer_t *writer, nereid_view_t ptx) {
  while (ptx.size) {
    nereid_view_t line = next_line(&ptx);
    if (starts_with(line, "{")) /* the body of another function */
      writer->recorded.size = 0;
    if (starts_with(line, "\t.loc\t")) {
      write_line(writer, line);
    } else {
      static const char debug[] = ", debug";
      bool target = starts_with(line, ".target ") && line.size > sizeof debug &&
                    memcmp(line.data + line.size - (sizeof debug - 1), debug, sizeof debug - 1) == 0;
      fwrite(line.data, 1, line.size - (target ? sizeof debug - 1 : 0), writer->out);
    }
    fputc('\n', writer->out);
  }
  write_names(writer);
}

nereid_view_t nereid_inlined_lines_write(nereid_inlined_lines_t *lines, nereid_view_t ptx) {
  const nereid_view_t none = {NULL, 0};
  writer_t writer = {.lines = lines};
  char *text = NULL;
  size_t size = 0;
  if (!lines->enabled)
    return ptx;
  for (nereid_view_t rest = ptx; rest.size;) {
    nereid_view_t line = next_line(&rest);
    if (starts_with(line, "\t.file\t") && !read_file_directive(&writer, line))
      return none;
  }
  writer.out = open_memstream(&text, &size);
  if (!writer.out)
    return none;
  write_all(&writer, ptx);
  char *copy = NULL;
  if (fclose(writer.out) == 0 && !lines->arena->failed)
    copy = nereid_arena_copy(lines->arena, nereid_view_of(text, size));
  free(text);
  return nereid_view_of(copy, copy ? size : 0);
}
