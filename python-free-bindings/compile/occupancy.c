/* Assembles a kernel for fewer CTAs per multiprocessor when it lacks registers.
 *
 *   .minnctapersm 4   →   .minnctapersm 3
 *
 * convert-triton-gpu-to-llvm asks ptxas for as many CTAs as fit in shared memory if it expects the kernel to fit in the
 * registers that each thread then has (conversion/ttg_to_llvm/function/occupancy.c). That is an estimate. */
#include "session.h"

#include <string.h>

/* A message of the assembler, in the scratch arena. */
typedef struct message {
  nereid_report_level_t level;
  const char *file; /* may be null */
  unsigned line, column;
  const char *text;
} message_t;

typedef struct messages {
  nereid_arena_t *arena;
  NEREID_VECTOR(message_t) list;
  bool lacks_registers; /* wgmma instructions are serialized for that reason */
} messages_t;

static void collect(void *user_data, nereid_report_level_t level, const char *file, unsigned line, unsigned column,
                    const char *text) {
  messages_t *messages = user_data;
  const message_t message = {level, file ? nereid_arena_copy(messages->arena, nereid_view(file)) : NULL, line, column,
                             nereid_arena_copy(messages->arena, nereid_view(text))};
  messages->lacks_registers |= strstr(text, "insufficient register") != NULL;
  nereid_vector_push(messages->arena, &messages->list, message);
}

static void pass_on(const messages_t *messages, const nereid_report_t *report) {
  for (size_t i = 0; i < messages->list.size; ++i) {
    const message_t *message = &messages->list.data[i];
    nereid_report_at(report, message->level, message->file, message->line, message->column, "%s",
                     message->text ? message->text : "");
  }
}

/* Copies PTX that Nereid wrote, with one CTA less in each .minnctapersm of 2 or more. False if there is none. */
static bool reduce(nereid_view_t ptx, nereid_arena_t *arena, nereid_view_t *out_ptx) {
  static const char directive[] = "\n.minnctapersm ", origin[] = "// " NEREID_METADATA_KEY ": ";
  char *text = nereid_arena_copy(arena, ptx);
  bool reduced = false;
  if (!text || !strstr(text, origin)) /* PTX that the user wrote stays as it is */
    return false;
  for (char *at = text; (at = strstr(at, directive)); ++at) {
    char *digit = at + sizeof directive - 1;
    if (digit[0] < '2' || digit[0] > '9' || digit[1] != '\n')
      continue;
    --*digit;
    reduced = true;
  }
  *out_ptx = nereid_view_of(text, ptx.size);
  return reduced;
}

nereid_status_t nereid_assemble_within_registers(nereid_compilation_t *compilation,
                                                 const nereid_assemble_options_t *options,
                                                 nereid_assembled_t *out_assembled) {
  messages_t messages = {.arena = &compilation->scratch};
  const nereid_report_t collecting = {collect, &messages};
  nereid_view_t ptx = compilation->ptx;
  nereid_status_t status;
  do {
    messages.list.size = 0;
    messages.lacks_registers = false;
    status = nereid_assemble(ptx, options, &collecting, &compilation->result->arena, out_assembled);
  } while (status == NEREID_OK && (out_assembled->spill_stores || messages.lacks_registers) &&
           reduce(ptx, &compilation->scratch, &ptx));
  pass_on(&messages, &compilation->compiler->report);
  return messages.arena->failed && status == NEREID_OK ? NEREID_ERROR_MEMORY : status;
}
