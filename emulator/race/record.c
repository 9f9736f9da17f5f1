/* Records, referenced by cells: an instruction that a warp executed between two releases. Unreferenced records are
 * reused when there are many. */
#include "emulator/race/private.h"

#include <stdlib.h>

static void mark_cell(emu_race_t *race, uint32_t cell) {
  if (!(cell & RACE_LIST))
    race->records[cell >> 5].marked = 1;
  for (uint32_t node = cell & RACE_LIST ? cell & ~RACE_LIST : 0; node; node = race->nodes[node].next)
    race->records[race->nodes[node].record].marked = 1;
}

void nereid_emulator_race_record_clear(race_record_t *record) {
  while (record->phases) {
    race_end_t *next = record->phases->next;
    free(record->phases);
    record->phases = next;
  }
  free(record->times);
  record->times = NULL;
}

/* Frees the records that no cell references and no operation in flight needs. */
static void collect(emu_race_t *race) {
  for (size_t i = 0; i < race->slot_capacity; ++i)
    nereid_emulator_race_cells(race->slots[i].page, mark_cell, race);
  for (size_t i = 0; i < race->n_running; ++i)
    for (uint32_t p = 0; p < race->running[i]->n_pages; ++p)
      nereid_emulator_race_cells(race->running[i]->pages[p], mark_cell, race);
  race->n_free = 0;
  for (uint32_t i = 1; i < race->n_records; ++i) {
    race_record_t *record = &race->records[i];
    if (!record->marked && !record->held) {
      nereid_emulator_race_record_clear(record);
      race->free_records[race->n_free++] = i;
    }
    record->marked = 0;
  }
  memset(race->recent_records, 0, sizeof race->recent_records);
}

static uint32_t new_record(emu_race_t *race) {
  if (!race->n_free && race->n_records == race->record_capacity) {
    enum { MANY = 1 << 20 };
    if (race->n_records >= MANY)
      collect(race);
    if (race->n_free * 2 < race->n_records || !race->n_records) { /* few records, or most are referenced */
      uint32_t capacity = race->record_capacity ? race->record_capacity * 2 : 1 << 12;
      race_record_t *records = capacity < UINT32_C(1) << 26 ? realloc(race->records, capacity * sizeof *records) : NULL;
      race->records = records ? records : race->records;
      uint32_t *spare = records ? realloc(race->free_records, capacity * sizeof *spare) : NULL;
      if (!spare) {
        race->failed = true;
        return 0;
      }
      race->free_records = spare;
      race->record_capacity = capacity;
      race->n_records += race->n_records == 0; /* index 0 is reserved */
      race->records[0] = (race_record_t){0};
    }
  }
  return race->n_free ? race->free_records[--race->n_free] : race->n_records++;
}

uint32_t nereid_emulator_race_record(emu_race_cta_t *cta, uint32_t warp, uint32_t pc, uint32_t lanes, uint8_t kind,
                                     uint8_t size, uint8_t strong) {
  emu_race_t *race = cta->race;
  uint32_t *recent = &race->recent_records[(warp * 61 + pc * 8 + cta->number) % 1024];
  race_record_t *record = &race->records[*recent], found = {.pc = pc,
                                                            .cta = cta->number,
                                                            .time = cta->times[warp],
                                                            .lanes = lanes,
                                                            .warp = (uint16_t)warp,
                                                            .kind = kind,
                                                            .size = size,
                                                            .strong = strong};
  bool starts = kind & (RACE_ASYNC | RACE_COPY);
  if (*recent && !starts && record->pc == pc && record->cta == cta->number && record->warp == warp &&
      record->time == found.time && record->kind == kind && record->size == size && record->strong == strong) {
    if (lanes & ~record->lanes)
      memset(record->seen, 0, sizeof record->seen);
    record->lanes |= lanes;
    return *recent;
  }
  uint32_t index = new_record(race);
  if (!index)
    return 0;
  found.flight = starts ? lanes : 0;
  found.held = starts;
  race->records[index] = found;
  if (!starts)
    *recent = index;
  return index;
}

void nereid_emulator_race_touch(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target,
                                uint64_t address, uint32_t bytes, bool writes, int strong) {
  emu_race_cta_t *cta = warp->cta->race;
  race_access_t it = {.race = cta->race,
                      .cta = cta,
                      .warp = warp->index,
                      .kind = (uint8_t)((writes ? RACE_WRITES : 0) | (strong ? RACE_ATOMIC : 0)),
                      .size = (uint8_t)bytes,
                      .strong = (uint8_t)strong,
                      .clock = cta->threads[warp->index * EMU_LANES + (uint32_t)lane].clock,
                      .lane = (uint32_t)lane,
                      .target = target ? target->race : NULL,
                      .bytes = bytes};
  it.record = nereid_emulator_race_record(cta, warp->index, (uint32_t)(insn - cta->race->program->insns.data),
                                          UINT32_C(1) << lane, it.kind, it.size, it.strong);
  if (it.record)
    nereid_emulator_race_range(&it, address, bytes);
}
