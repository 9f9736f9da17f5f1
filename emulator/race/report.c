/* The races found, as text or JSON: one per pair of instructions and class, with the first pair of accesses. */
#include "emulator/race/private.h"

#include <stdlib.h>

static const char *what(const emu_insn_t *insn, uint8_t kind) {
  bool writes = kind & RACE_WRITES;
  if (kind & RACE_RULE)
    return insn->counter_class == NEREID_EMULATOR_CLASS_MATRIX ? "wgmma" : "use";
  if (kind & RACE_WHOLE)
    return "read by wgmma";
  if (kind & RACE_TRACKED)
    return "completion at a barrier object";
  if (kind & RACE_COPY)
    return writes ? "write by cp.async" : "read by cp.async";
  if (kind & RACE_ASYNC)
    return writes ? "write by a bulk copy" : "read by a bulk copy";
  if (kind & RACE_ATOMIC)
    return writes ? "atomic" : "failed compare-and-swap";
  return insn->counter_class == NEREID_EMULATOR_CLASS_BARRIER ? "barrier object" : writes ? "write" : "read";
}

static nereid_emulator_race_side_t side(const emu_race_t *race, const race_record_t *record, uint32_t lane) {
  const nereid_emulator_program_t *program = race->program;
  const emu_insn_t *insn = &program->insns.data[record->pc];
  uint32_t thread = record->warp * EMU_LANES + lane, cta = record->cta;
  const uint32_t *block = race->block, *grid = race->grid;
  return (nereid_emulator_race_side_t){
      .program = program->name,
      .source = insn->place ? program->places.data[insn->place].text : NULL,
      .what = what(insn, record->kind),
      .line = insn->line,
      .source_line = insn->place ? program->places.data[insn->place].line : 0,
      .text = nereid_emulator_statement(program, insn),
      .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]},
      .cta = {cta % grid[0], cta / grid[0] % grid[1], cta / grid[0] / grid[1]},
      .warp = record->warp,
      .whole = record->kind & (RACE_WHOLE | RACE_RULE)};
}

void nereid_emulator_race_report(const race_access_t *access, uint32_t record, uint32_t lane, uint64_t address,
                                 uint32_t bytes, nereid_emulator_race_class_t kind) {
  emu_race_t *race = access->race;
  nereid_emulator_race_t found = {.kind = kind,
                                  .space = access->target ? "shared" : "global",
                                  .address = address,
                                  .bytes = bytes,
                                  .count = 1,
                                  .earlier = side(race, &race->records[record], lane),
                                  .later = side(race, &race->records[access->record], access->lane)};
  for (size_t i = 0; i < race->n_races; ++i) {
    nereid_emulator_race_t *old = &race->races[i];
    const char *first = old->earlier.text.data, *second = old->later.text.data;
    const char *one = found.earlier.text.data, *other = found.later.text.data;
    if (old->kind == found.kind && ((first == one && second == other) || (first == other && second == one))) {
      old->count++;
      return;
    }
  }
  if (race->n_races == race->race_capacity) {
    size_t capacity = race->race_capacity ? race->race_capacity * 2 : 16;
    nereid_emulator_race_t *races = realloc(race->races, capacity * sizeof *races);
    if (!races) {
      race->failed = true;
      return;
    }
    race->races = races;
    race->race_capacity = capacity;
  }
  race->races[race->n_races++] = found;
}

static const char *const classes[] = {"race", "proxy", "wgmma-reg", "tensor-map"};

static void print_side(const nereid_emulator_race_side_t *side, const char *when, FILE *file) {
  fprintf(file, "  %s %s, ", when, side->what);
  if (side->whole)
    fprintf(file, "warp %u", side->warp);
  else
    fprintf(file, "thread (%u,%u,%u), warp %u,", side->thread[0], side->thread[1], side->thread[2], side->warp);
  fprintf(file, " of CTA (%u,%u,%u), %s:%u", side->cta[0], side->cta[1], side->cta[2], side->program, side->line);
  if (side->source)
    fprintf(file, " (%s)", side->source);
  fprintf(file, ": %.*s\n", (int)side->text.size, side->text.data);
}

static void print_text(FILE *file, const char *key, const char *text, size_t size) {
  fprintf(file, "\"%s\": ", key);
  nereid_emulator_print_string(file, text, size);
}

static void print_json_side(const nereid_emulator_race_side_t *side, const char *key, FILE *file) {
  fprintf(file, "\"%s\": {\"what\": \"%s\", \"line\": %u, \"source_line\": %u, ", key, side->what, side->line,
          side->source_line);
  if (side->source) {
    print_text(file, "source", side->source, strlen(side->source));
    fprintf(file, ", ");
  }
  print_text(file, "instruction", side->text.data, side->text.size);
  fprintf(file, ", \"thread\": [%u, %u, %u], \"warp\": %u, \"cta\": [%u, %u, %u]}", side->thread[0], side->thread[1],
          side->thread[2], side->warp, side->cta[0], side->cta[1], side->cta[2]);
}

void nereid_emulator_race_print(const nereid_emulator_race_t *race, bool json, FILE *file) {
  if (json) {
    fprintf(file, "{\"class\": \"%s\", \"space\": \"%s\", \"address\": %llu, \"bytes\": %u, \"count\": %llu, ",
            classes[race->kind], race->space, (unsigned long long)race->address, race->bytes,
            (unsigned long long)race->count);
    print_json_side(&race->earlier, "earlier", file);
    fprintf(file, ", ");
    print_json_side(&race->later, "later", file);
    fprintf(file, "}\n");
    return;
  }
  if (race->kind == NEREID_EMULATOR_RACE_REGISTER)
    fprintf(file, "%s: registers of a wgmma in flight, or without wgmma.fence", classes[race->kind]);
  else if (race->kind == NEREID_EMULATOR_RACE_TENSOR_MAP)
    fprintf(file, "%s: at 0x%llx, without release or acquire", classes[race->kind], (unsigned long long)race->address);
  else
    fprintf(file, "%s: %u bytes of %s memory at 0x%llx%s", classes[race->kind], race->bytes, race->space,
            (unsigned long long)race->address,
            race->kind == NEREID_EMULATOR_RACE_PROXY ? ", without fence.proxy.async" : "");
  fprintf(file, ", %llu %s\n", (unsigned long long)race->count, race->count == 1 ? "time" : "times");
  print_side(&race->earlier, "earlier", file);
  print_side(&race->later, "later  ", file);
}
