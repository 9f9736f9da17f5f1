/* vprintf and __assertfail of CUDA's device runtime. Strings and arguments are read through generic addresses;
 * output is kept per CTA and delivered in CTA order. */
#include "emulator/instructions/control/call.h"
#include "emulator/machine/execute.h"

#include <stdlib.h>

static void emit(emu_cta_t *cta, const char *text, size_t n) {
  if (cta->printed_size + n > cta->printed_capacity) {
    size_t capacity = (cta->printed_size + n) * 2 + 256;
    char *grown = realloc(cta->printed, capacity);
    if (!grown) {
      cta->cluster->status = NEREID_ERROR_MEMORY;
      return;
    }
    cta->printed = grown;
    cta->printed_capacity = capacity;
  }
  memcpy(cta->printed + cta->printed_size, text, n);
  cta->printed_size += n;
}

/* Reads a string of the kernel, truncated to fit. */
static bool read_text(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, char *out, size_t size) {
  emu_insn_t generic = *insn;
  generic.space = EMU_GENERIC;
  for (size_t i = 0; i + 1 < size; ++i) {
    const uint8_t *byte = nereid_emulator_access(warp, &generic, lane, EMU_GENERIC, address + i, 1, EMU_READ);
    if (!byte)
      return false;
    out[i] = (char)*byte;
    if (!*byte)
      return true;
  }
  out[size - 1] = 0;
  return true;
}

static uint64_t parameter(const emu_warp_t *warp, const emu_insn_t *insn, int lane, uint32_t k) {
  uint64_t bits = 0;
  const uint8_t *local = warp->cta->local + (size_t)(warp->index * EMU_LANES + (uint32_t)lane) * warp->cta->local_bytes;
  memcpy(&bits, local + insn->list[3 * k + 1], insn->list[3 * k + 2] < 8 ? insn->list[3 * k + 2] : 8);
  return bits;
}

static void take_parameters(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  uint8_t *local = warp->cta->local + (size_t)(warp->index * EMU_LANES + (uint32_t)lane) * warp->cta->local_bytes;
  for (uint32_t i = 0; i + 2 < insn->n_list; i += 3)
    memmove(local + insn->list[i + 1], local + insn->list[i], insn->list[i + 2]);
}

/* Reads the next argument, aligned to its size. */
static bool argument(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t *at, uint32_t size, uint64_t *out) {
  *at = (*at + size - 1) / size * size;
  const uint8_t *place = nereid_emulator_access(warp, insn, lane, EMU_GENERIC, *at, size, EMU_READ);
  *out = 0;
  if (place)
    memcpy(out, place, size);
  *at += size;
  return place != NULL;
}

/* Formats one conversion: `spec` from its % to its letter. */
static bool convert(emu_warp_t *warp, const emu_insn_t *insn, int lane, char *spec, size_t n, uint64_t *at) {
  char text[1200], string[1024];
  char letter = spec[n - 1];
  bool wide = memchr(spec, 'l', n) || memchr(spec, 'z', n) || memchr(spec, 'j', n) || memchr(spec, 't', n);
  bool is_float = strchr("feEgGaA", letter) != NULL && strchr("feEgGaA", letter)[0];
  uint32_t size = is_float || wide || letter == 's' || letter == 'p' ? 8 : 4;
  char format[64];
  uint64_t bits;
  size_t m = 0;
  if (!argument(warp, insn, lane, at, size, &bits))
    return false;
  for (size_t i = 0; i + 1 < n && m < 40; ++i)
    if (!strchr("lhzjt", spec[i]))
      format[m++] = spec[i];
  if (strchr("diuoxX", letter)) {
    memcpy(format + m, "ll", 2);
    m += 2;
  }
  format[m++] = letter;
  format[m] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int length = 0;
  double number;
  memcpy(&number, &bits, sizeof number);
  if (letter == 'd' || letter == 'i')
    length = snprintf(text, sizeof text, format, size == 4 ? (long long)(int32_t)bits : (long long)bits);
  else if (strchr("uoxX", letter))
    length = snprintf(text, sizeof text, format, (unsigned long long)bits);
  else if (letter == 'c')
    length = snprintf(text, sizeof text, format, (int)(uint8_t)bits);
  else if (letter == 'p')
    length = snprintf(text, sizeof text, "0x%llx", (unsigned long long)bits);
  else if (is_float)
    length = snprintf(text, sizeof text, format, number);
  else if (letter == 's' && read_text(warp, insn, lane, bits, string, sizeof string))
    length = snprintf(text, sizeof text, format, string);
  else
    return letter == 's'
               ? false
               : nereid_emulator_fail(warp, insn, lane, "vprintf: %%%c is not emulated", letter) == EMU_ADVANCE;
#pragma GCC diagnostic pop
  if (length > 0)
    emit(warp->cta, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
  return true;
}

static bool print(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  char format[4096];
  uint64_t at = parameter(warp, insn, lane, 1);
  if (!read_text(warp, insn, lane, parameter(warp, insn, lane, 0), format, sizeof format))
    return false;
  for (char *c = format; *c;) {
    char *percent = c + strcspn(c, "%");
    emit(warp->cta, c, (size_t)(percent - c));
    if (!*percent)
      break;
    size_t n = 1 + strspn(percent + 1, "-+ #0123456789.lhzjt");
    if (percent[n] == '%') {
      emit(warp->cta, "%", 1);
    } else if (!percent[n] || n > 32) {
      (void)nereid_emulator_fail(warp, insn, lane, "vprintf: a conversion without its letter");
      return false;
    } else if (!convert(warp, insn, lane, percent, n + 1, &at)) {
      return false;
    }
    c = percent + n + 1;
  }
  return true;
}

emu_next_t nereid_emulator_vprintf(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_insn_t generic = *insn;
  generic.space = EMU_GENERIC;
  FOR_LANES(lane, mask) {
    take_parameters(warp, insn, (int)lane);
    if (!print(warp, &generic, (int)lane))
      return EMU_FAILED;
  }
  return EMU_ADVANCE;
}

/* (message, file, line, function, size of a character) */
emu_next_t nereid_emulator_assertfail(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  char texts[3][120];
  static const uint32_t places[3] = {0, 1, 3};
  if (!mask)
    return EMU_ADVANCE;
  int lane = __builtin_ctz(mask);
  take_parameters(warp, insn, lane);
  for (int i = 0; i < 3; ++i)
    if (!read_text(warp, insn, lane, parameter(warp, insn, lane, places[i]), texts[i], sizeof texts[i]))
      return EMU_FAILED;
  return nereid_emulator_fail(warp, insn, lane, "%s:%u: %s: assertion `%s` failed", texts[1],
                              (unsigned)parameter(warp, insn, lane, 2), texts[2], texts[0]);
}
