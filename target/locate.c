/* Errors at instructions of LLVM IR.
 *
 *   call void @llvm.nvvm.fence.sc.cluster()     kernel.ll:12:3: error: … needs sm_90 or later (in function 'k')
 *
 * LLVM keeps no positions of the text that it parsed: the line is found by the order of equal instructions. */
#include "target/prepare.h"

#include <llvm-c/Core.h>

/* The first `word` in the code of one line before `end`, comments excluded; null: none. */
static const char *find_in_line(const char *line, const char *end, nereid_view_t word) {
  bool is_quoted = false; /* a semicolon in a string, as in inline asm, begins no comment */
  for (const char *at = line; at + word.size <= end && (is_quoted || *at != ';'); at++) {
    if (memcmp(at, word.data, word.size) == 0)
      return at;
    is_quoted ^= *at == '"';
  }
  return NULL;
}

/* Line and column, from 1, of the `number`th line of code, from 0, that contains `word`; false when there is none. */
static bool find_in_text(nereid_view_t text, nereid_view_t word, unsigned number, unsigned *out_line,
                         unsigned *out_column) {
  const char *line = text.data, *end = text.data + text.size;
  for (unsigned count = 1; line < end; count++) {
    const char *stop = memchr(line, '\n', (size_t)(end - line)), *at;
    stop = stop ? stop : end;
    nereid_view_t rest = nereid_view_of(line, (size_t)(stop - line));
    at = nereid_view_starts_with(rest, nereid_view("declare")) ? NULL : find_in_line(line, stop, word);
    if (at && number-- == 0) {
      *out_line = count;
      *out_column = (unsigned)(at - line) + 1;
      return true;
    }
    line = stop + 1;
  }
  return false;
}

bool nereid_backend_find_in_text(nereid_view_t text, nereid_view_t code, unsigned *out_line, unsigned *out_column) {
  return find_in_text(text, code, 0, out_line, out_column);
}

/* How many instructions before `at`, in module order, are of the same opcode and call the same function. The parser
 * keeps the order of the text, so this is also the number of the line among those that read alike. */
static unsigned number_of(LLVMModuleRef module, LLVMValueRef at) {
  unsigned number = 0;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
  LLVMValueRef callee = opcode == LLVMCall ? LLVMGetCalledValue(at) : NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (i == at)
          return number;
        number += LLVMGetInstructionOpcode(i) == opcode && (!callee || LLVMGetCalledValue(i) == callee);
      }
  return number;
}

/* The location of an instruction: in the input text, else its debug location. */
static void locate(LLVMModuleRef module, const nereid_backend_input_t *input, LLVMValueRef at, const char *word,
                   const char **out_file, unsigned *out_line, unsigned *out_column) {
  unsigned size = 0;
  *out_file = input->name;
  *out_line = *out_column = 0;
  if (input->text.size && find_in_text(input->text, nereid_view(word), number_of(module, at), out_line, out_column))
    return;
  const char *file = LLVMGetDebugLocFilename(at, &size);
  if (file && size) {
    unsigned folder_size = 0;
    const char *folder = LLVMGetDebugLocDirectory(at, &folder_size);
    const char *slash = folder && folder_size && *file != '/' ? "/" : "";
    *out_file = nereid_arena_format(input->scratch, "%.*s%s%.*s", *slash ? (int)folder_size : 0, *slash ? folder : "",
                                    slash, (int)size, file);
    *out_line = LLVMGetDebugLocLine(at);
    *out_column = LLVMGetDebugLocColumn(at);
  }
}

void nereid_target_complain(nereid_backend_t *backend, LLVMModuleRef module, const nereid_backend_input_t *input,
                            LLVMValueRef at, const char *word, const char *what) {
  const char *file = NULL;
  unsigned line = 0, column = 0;
  size_t size;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
  if (input->again)
    return;
  locate(module, input, at, word, &file, &line, &column);
  nereid_report_at(backend->report, NEREID_REPORT_ERROR, file, line, column, "%s (in function '%s')",
                   what ? what : "out of memory", LLVMGetValueName2(function, &size));
}
