/* Formats the failure of a launch, located in the PTX text, in the source and by thread; the text of instructions.
 *
 *   k.ptx:12 (kernels.py:3): ld.shared.u32 %r1, [%r2]: thread (1,0,0) of CTA (0,0,0): 4 bytes at 0x80 are out of ... */
#include "emulator/machine/cta.h"
#include "emulator/machine/special_registers.h"

#include <stdarg.h>

emu_next_t nereid_emulator_fail(emu_warp_t *warp, const emu_insn_t *insn, int lane, const char *format, ...) {
  emu_cta_t *cta = warp->cta;
  const nereid_emulator_program_t *program = cta->kernel->program;
  char sentence[400], source[240] = "";
  va_list arguments;
  if (cta->cluster->status)
    return EMU_FAILED;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  if (insn->place && program->places.data[insn->place].text)
    snprintf(source, sizeof source, " (%s)", program->places.data[insn->place].text);
  uint32_t tid[3];
  for (int i = 0; i < 3; ++i)
    memcpy(&tid[i], warp->base[EMU_SPECIALS] + (EMU_TID_X + i) * 128 + lane * 4, 4);
  cta->cluster->status = nereid_message_set(
      &cta->cluster->message, NEREID_ERROR_PROGRAM, "%.120s:%u%s: %.*s: thread (%u,%u,%u) of CTA (%u,%u,%u): %s",
      program->name, insn->line, source, (int)(insn->text_size < 100 ? insn->text_size : 100), insn->text, tid[0],
      tid[1], tid[2], cta->id[0], cta->id[1], cta->id[2], sentence);
  return EMU_FAILED;
}

const char *nereid_emulator_unguarded(const emu_insn_t *insn) {
  const char *text = insn->text;
  if (*text == '@')
    text += strcspn(text, " \t");
  return text + strspn(text, " \t");
}

void nereid_emulator_print_string(FILE *file, const char *text, size_t size) {
  fputc('"', file);
  for (size_t i = 0; i < size; ++i)
    if (text[i] == '"' || text[i] == '\\')
      fprintf(file, "\\%c", text[i]);
    else
      fputc((unsigned char)text[i] < 32 ? ' ' : text[i], file);
  fputc('"', file);
}

nereid_view_t nereid_emulator_statement(const nereid_emulator_program_t *program, const emu_insn_t *insn) {
  enum { LIMIT = 160 };
  const char *end = program->text.data + program->text.size;
  size_t size = insn->text_size;
  if (insn->text < program->text.data || insn->text + size > end)
    return nereid_view_of(insn->text, size);
  while (size < LIMIT && insn->text + size < end && insn->text[size] != '\n' && insn->text[size - 1] != ';')
    ++size;
  return nereid_view_of(insn->text, size);
}
