/* The histories of all bytes: pages with one cell per 16-byte quad. A quad is split into words, and a word into
 * bytes, when they are accessed separately. Parts with equal histories merge into one cell again. */
#include "base/kernel/address.h"
#include "emulator/race/private.h"

#include <stdlib.h>

void nereid_emulator_race_free_pages(race_page_t **pages, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (pages[i]) {
      free(pages[i]->words);
      free(pages[i]->bytes);
    }
    free(pages[i]);
  }
}

void nereid_emulator_race_cells(race_page_t *page, void (*visit)(emu_race_t *race, uint32_t cell), emu_race_t *race) {
  for (uint32_t i = 0; page && i < RACE_QUADS; ++i) {
    visit(race, page->write[i]);
    visit(race, page->read[i]);
  }
  for (uint32_t i = 0; page && page->words && i < RACE_WORDS; ++i) {
    visit(race, page->words->write[i]);
    visit(race, page->words->read[i]);
  }
  for (uint32_t i = 0; page && page->bytes && i < RACE_PAGE; ++i) {
    visit(race, page->bytes->write[i]);
    visit(race, page->bytes->read[i]);
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
  race_slot_t *recent = &race->recent[(key ^ key / (NEREID_ADDRESS_SPACING / RACE_PAGE)) & 7];
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

/* Splits a quad into words with cells of their own; the next function splits a word into bytes. */
static race_words_t *split_quad(emu_race_t *race, race_page_t *page, uint32_t quad) {
  if (page->apart[quad / 64] >> quad % 64 & 1)
    return page->words;
  if (!page->words)
    page->words = calloc(1, sizeof *page->words);
  if (!page->words) {
    race->failed = true;
    return NULL;
  }
  page->apart[quad / 64] |= UINT64_C(1) << quad % 64;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t write = page->write[quad], read = page->read[quad];
    page->words->write[quad * 4 + i] = i ? nereid_emulator_race_list_copy(race, write) : write;
    page->words->read[quad * 4 + i] = i ? nereid_emulator_race_list_copy(race, read) : read;
  }
  page->write[quad] = page->read[quad] = 0;
  return page->words;
}

static race_bytes_t *split_word(emu_race_t *race, race_page_t *page, race_words_t *words, uint32_t word) {
  if (words->apart[word / 64] >> word % 64 & 1)
    return page->bytes;
  if (!page->bytes)
    page->bytes = calloc(1, sizeof *page->bytes);
  if (!page->bytes) {
    race->failed = true;
    return NULL;
  }
  words->apart[word / 64] |= UINT64_C(1) << word % 64;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t write = words->write[word], read = words->read[word];
    page->bytes->write[word * 4 + i] = i ? nereid_emulator_race_list_copy(race, write) : write;
    page->bytes->read[word * 4 + i] = i ? nereid_emulator_race_list_copy(race, read) : read;
  }
  words->write[word] = words->read[word] = 0;
  return page->bytes;
}

/* Whether four cells have the same history; if so, the first keeps it. */
static bool alike(uint32_t *write, uint32_t *read) {
  for (uint32_t i = 0; i < 4; ++i)
    if (write[i] != write[0] || read[i] != read[0] || (write[i] | read[i]) & RACE_LIST)
      return false;
  return true;
}

static void unite_word(race_words_t *words, race_bytes_t *bytes, uint32_t word) {
  uint32_t *write = &bytes->write[word * 4], *read = &bytes->read[word * 4];
  if (!alike(write, read))
    return;
  words->apart[word / 64] &= ~(UINT64_C(1) << word % 64);
  words->write[word] = write[0];
  words->read[word] = read[0];
  memset(write, 0, 4 * sizeof *write);
  memset(read, 0, 4 * sizeof *read);
}

static void unite_quad(race_page_t *page, race_words_t *words, uint32_t quad) {
  uint32_t *write = &words->write[quad * 4], *read = &words->read[quad * 4];
  if (words->apart[quad / 16] >> quad % 16 * 4 & 15 || !alike(write, read))
    return;
  page->apart[quad / 64] &= ~(UINT64_C(1) << quad % 64);
  page->write[quad] = write[0];
  page->read[quad] = read[0];
  memset(write, 0, 4 * sizeof *write);
  memset(read, 0, 4 * sizeof *read);
}

/* Fast check that a cell's access is ordered before and does not need a detailed check. */
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

static inline void unit(race_access_t *access, uint32_t *write, uint32_t *read, uint64_t address, uint32_t bytes) {
  uint32_t mine = access->record << 5 | access->lane;
  bool writes = access->kind & RACE_WRITES;
  if (!ordered(access, *write) || !(*read == mine || ordered(access, *read))) {
    nereid_emulator_race_unit(access, write, read, address, bytes);
    return;
  }
  *read = writes ? 0 : mine;
  *write = writes ? mine : *write;
}

static void in_word(race_access_t *access, race_page_t *page, uint64_t address, uint32_t n) {
  uint32_t at = (uint32_t)(address % RACE_PAGE);
  race_words_t *words = split_quad(access->race, page, at / 16);
  race_bytes_t *bytes = words ? split_word(access->race, page, words, at / 4) : NULL;
  if (!bytes)
    return;
  for (uint32_t i = 0; i < n; ++i)
    unit(access, &bytes->write[at + i], &bytes->read[at + i], address + i, 1);
  if (n == 4)
    unite_word(words, bytes, at / 4);
}

static void in_quad(race_access_t *access, race_page_t *page, uint64_t address, uint32_t n) {
  uint32_t first = (uint32_t)(address % RACE_PAGE) / 4;
  race_words_t *words = split_quad(access->race, page, first / 4);
  if (!words)
    return;
  for (uint32_t word = first; word < first + n; ++word, address += 4)
    if (words->apart[word / 64] >> word % 64 & 1)
      in_word(access, page, address, 4);
    else
      unit(access, &words->write[word], &words->read[word], address, 4);
  if (n == 4)
    unite_quad(page, words, first / 4);
}

static void quads(race_access_t *access, race_page_t *page, uint64_t address, uint32_t n) {
  uint32_t first = (uint32_t)(address % RACE_PAGE) / 16;
  for (uint32_t quad = first; quad < first + n; ++quad, address += 16)
    if (page->apart[quad / 64] >> quad % 64 & 1)
      in_quad(access, page, address, 4);
    else
      unit(access, &page->write[quad], &page->read[quad], address, 16);
}

void nereid_emulator_race_range(race_access_t *access, uint64_t address, uint64_t bytes) {
  while (bytes && !access->race->failed) {
    uint32_t in_page = RACE_PAGE - (uint32_t)(address % RACE_PAGE);
    race_page_t *page = page_of(access, address);
    if (!page)
      return;
    uint32_t n = bytes < in_page ? (uint32_t)bytes : in_page;
    if (address % 16 == 0 && n >= 16) {
      n &= ~UINT32_C(15);
      quads(access, page, address, n / 16);
    } else if (address % 4 == 0 && n >= 4) {
      uint32_t left = 16 - (uint32_t)(address % 16);
      n = (n < left ? n : left) & ~UINT32_C(3);
      in_quad(access, page, address, n / 4);
    } else {
      uint32_t left = 4 - (uint32_t)(address % 4);
      n = n < left ? n : left;
      in_word(access, page, address, n);
    }
    address += n;
    bytes -= n;
  }
}
