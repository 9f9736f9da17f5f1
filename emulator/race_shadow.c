/* The histories of all bytes: pages of cells, one per word of four bytes, one per byte of the words whose bytes were
 * accessed apart; and the records that cells name. */
#include "emulator/race_private.h"

#include <stdlib.h>

void nereid_emulator_race_free_pages(race_page_t **pages, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (pages[i])
      free(pages[i]->bytes);
    free(pages[i]);
  }
}

void nereid_emulator_race_drop_page(emu_race_t *race, const race_page_t *page) {
  for (uint32_t i = 0; page && i < RACE_WORDS; ++i) {
    nereid_emulator_race_list_free(race, page->write[i]);
    nereid_emulator_race_list_free(race, page->read[i]);
  }
  for (uint32_t i = 0; page && page->bytes && i < RACE_PAGE; ++i) {
    nereid_emulator_race_list_free(race, page->bytes->write[i]);
    nereid_emulator_race_list_free(race, page->bytes->read[i]);
  }
}

static race_page_t *new_page(emu_race_t *race) {
  race_page_t *page = calloc(1, sizeof *page);
  race->failed |= !page;
  return page;
}

static bool grow_slots(emu_race_t *race) {
  size_t capacity = race->slot_capacity ? race->slot_capacity * 2 : 256;
  race_slot_t *slots = calloc(capacity, sizeof *slots);
  if (!slots)
    return false;
  for (size_t i = 0; i < race->slot_capacity; ++i) {
    size_t at = race->slots[i].key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (capacity - 1);
    while (race->slots[i].page && slots[at].page)
      at = (at + 1) & (capacity - 1);
    if (race->slots[i].page)
      slots[at] = race->slots[i];
  }
  free(race->slots);
  race->slots = slots;
  race->slot_capacity = capacity;
  return true;
}

static race_page_t *global_page(emu_race_t *race, uint64_t key) {
  race_slot_t *recent = &race->recent[key & 7];
  if (recent->page && recent->key == key)
    return recent->page;
  if (race->n_pages * 2 >= race->slot_capacity && !grow_slots(race)) {
    race->failed = true;
    return NULL;
  }
  size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (race->slot_capacity - 1);
  while (race->slots[at].page && race->slots[at].key != key)
    at = (at + 1) & (race->slot_capacity - 1);
  if (!race->slots[at].page) {
    race->slots[at] = (race_slot_t){key, new_page(race)};
    race->n_pages += race->slots[at].page != NULL;
  }
  *recent = race->slots[at];
  return recent->page;
}

static race_page_t *page_of(const race_access_t *access, uint64_t address) {
  uint64_t key = address / RACE_PAGE;
  emu_race_cta_t *target = access->target;
  if (!target)
    return global_page(access->race, key);
  if (key >= target->n_pages)
    return NULL;
  if (!target->pages[key])
    target->pages[key] = new_page(access->race);
  return target->pages[key];
}

static void split(emu_race_t *race, race_page_t *page, uint32_t word) {
  if (!page->bytes)
    page->bytes = calloc(1, sizeof *page->bytes);
  if (!page->bytes) {
    race->failed = true;
    return;
  }
  page->split[word / 64] |= UINT64_C(1) << word % 64;
  for (uint32_t i = 0; i < 4; ++i) {
    page->bytes->write[word * 4 + i] = i ? nereid_emulator_race_list_copy(race, page->write[word]) : page->write[word];
    page->bytes->read[word * 4 + i] = i ? nereid_emulator_race_list_copy(race, page->read[word]) : page->read[word];
  }
  page->write[word] = page->read[word] = 0;
}

/* Bytes of one word have one history again: after a write of all of it. */
static void unite(race_page_t *page, uint32_t word) {
  uint32_t *write = &page->bytes->write[word * 4], *read = &page->bytes->read[word * 4];
  for (uint32_t i = 0; i < 4; ++i)
    if (write[i] != write[0] || read[i] || write[i] & RACE_LIST)
      return;
  page->split[word / 64] &= ~(UINT64_C(1) << word % 64);
  page->write[word] = write[0];
  page->read[word] = 0;
  memset(write, 0, 4 * sizeof *write);
}

static void part_of_word(race_access_t *access, race_page_t *page, uint64_t address, uint32_t bytes) {
  uint32_t at = (uint32_t)(address % RACE_PAGE), word = at / 4;
  if (!(page->split[word / 64] >> word % 64 & 1))
    split(access->race, page, word);
  for (uint32_t i = 0; page->bytes && i < bytes; ++i)
    nereid_emulator_race_unit(access, &page->bytes->write[at + i], &page->bytes->read[at + i], address + i, 1);
  if (page->bytes && bytes == 4 && access->kind & RACE_WRITES)
    unite(page, word);
}

/* Whether a cell's access is surely ordered before, and no reason to look closer. */
static inline bool ordered(race_access_t *access, uint32_t cell) {
  uint32_t index = cell >> 5;
  if (!cell || index == access->good)
    return true;
  if (cell & RACE_LIST || access->strong)
    return false;
  race_record_t *record = &access->race->records[index];
  if (record->strong)
    return false;
  if (nereid_emulator_race_all_ordered(access, record)) {
    access->good = index;
    return true;
  }
  return record->warp == access->warp && (cell & 31) == access->lane && record->cta == access->cta->number &&
         !(access->kind & (RACE_ASYNC | RACE_WHOLE)) && !(record->kind & (RACE_ASYNC | RACE_COPY));
}

static void words(race_access_t *access, race_page_t *page, uint64_t address, uint32_t n) {
  uint32_t first = (uint32_t)(address % RACE_PAGE) / 4, mine = access->record << 5 | access->lane;
  bool writes = access->kind & RACE_WRITES;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t word = first + i, *write = &page->write[word], *read = &page->read[word];
    if (page->split[word / 64] >> word % 64 & 1) {
      part_of_word(access, page, address + (uint64_t)i * 4, 4);
    } else if (ordered(access, *write) && (*read == mine || ordered(access, *read))) {
      *read = writes ? 0 : mine;
      *write = writes ? mine : *write;
    } else {
      nereid_emulator_race_unit(access, write, read, address + (uint64_t)i * 4, 4);
    }
  }
}

void nereid_emulator_race_range(race_access_t *access, uint64_t address, uint64_t bytes) {
  while (bytes && !access->race->failed) {
    uint32_t in_page = RACE_PAGE - (uint32_t)(address % RACE_PAGE), in_word = 4 - (uint32_t)(address % 4);
    race_page_t *page = page_of(access, address);
    if (!page)
      return;
    uint32_t n = bytes < in_page ? (uint32_t)bytes : in_page;
    if (in_word < 4 || n < 4) {
      n = n < in_word ? n : in_word;
      part_of_word(access, page, address, n);
    } else {
      n &= ~UINT32_C(3);
      words(access, page, address, n / 4);
    }
    address += n;
    bytes -= n;
  }
}

static void mark_cell(emu_race_t *race, uint32_t cell) {
  if (!(cell & RACE_LIST))
    race->records[cell >> 5].marked = 1;
  for (uint32_t node = cell & RACE_LIST ? cell & ~RACE_LIST : 0; node; node = race->nodes[node].next)
    race->records[race->nodes[node].record].marked = 1;
}

static void mark_page(emu_race_t *race, const race_page_t *page) {
  for (uint32_t i = 0; page && i < RACE_WORDS; ++i) {
    mark_cell(race, page->write[i]);
    mark_cell(race, page->read[i]);
  }
  for (uint32_t i = 0; page && page->bytes && i < RACE_PAGE; ++i) {
    mark_cell(race, page->bytes->write[i]);
    mark_cell(race, page->bytes->read[i]);
  }
}

/* Frees the records that no cell names and no operation in flight needs. */
static void collect(emu_race_t *race) {
  for (size_t i = 0; i < race->slot_capacity; ++i)
    mark_page(race, race->slots[i].page);
  for (size_t i = 0; i < race->n_running; ++i)
    for (uint32_t p = 0; p < race->running[i]->n_pages; ++p)
      mark_page(race, race->running[i]->pages[p]);
  race->n_free = 0;
  for (uint32_t i = 1; i < race->n_records; ++i) {
    race_record_t *record = &race->records[i];
    if (!record->marked && !record->flight) {
      free(record->times);
      record->times = NULL;
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
    if (race->n_free * 2 < race->n_records || !race->n_records) { /* few, or most are needed */
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
      race->n_records += race->n_records == 0; /* 0 is no record */
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
      record->seen[0] = record->seen[1] = 0;
    record->lanes |= lanes;
    return *recent;
  }
  uint32_t index = new_record(race);
  if (!index)
    return 0;
  found.flight = starts ? lanes : 0;
  race->records[index] = found;
  if (!starts)
    *recent = index;
  return index;
}
