/* The access history of a byte or word, and its check against a new access.
 *
 * Following FastTrack (Flanagan and Freund, 2009), a cell keeps the last write and the reads since. An access
 * replaces those that are ordered before it, because any later access ordered after it is ordered after them too.
 * Unordered accesses that do not race (strong accesses, stores of one value) are kept together in a list. */
#include "emulator/machine/execute.h"
#include "emulator/race/private.h"

#include <stdlib.h>

typedef enum relation { UNORDERED, UNFENCED, ORDERED } relation_t;

/* How the new access sees those of a record: accesses of the async proxy see generic writes after a fence. */
static uint32_t view_of(const race_access_t *access, const race_record_t *record) {
  if (!(access->kind & RACE_ASYNC) || !(record->kind & RACE_WRITES) || record->kind & RACE_ASYNC)
    return RACE_GENERIC;
  return access->target ? RACE_PROXY_SHARED : RACE_PROXY_GLOBAL;
}

/* The time up to which the new access has observed the accesses and waits of a lane; a wgmma completes for all lanes of
 * its warp at once. */
static uint32_t known(const race_access_t *access, const race_part_t *part, const race_record_t *record, uint32_t lane,
                      uint32_t view) {
  uint32_t first = record->warp * EMU_LANES, most = 0;
  const uint32_t *times = part ? part->times + (size_t)view * access->race->n_actors : NULL;
  if (!times || !(record->kind & RACE_WHOLE))
    return times ? times[first + lane] : 0;
  for (uint32_t i = 0; i < EMU_LANES; ++i)
    most = times[first + i] > most ? times[first + i] : most;
  return most;
}

/* Whether a lane's access of a record, or its wait for the operation, is ordered before the new access by its clock. */
static relation_t relation_of_issuer(const race_access_t *access, const race_part_t *part, const race_record_t *record,
                                     uint32_t lane, uint32_t view) {
  uint32_t time = record->times ? record->times[lane] : record->time;
  if (record->flight >> lane & 1 || !part || known(access, part, record, lane, RACE_GENERIC) < time)
    return UNORDERED;
  return !view || known(access, part, record, lane, view) >= time ? ORDERED : UNFENCED;
}

/* The same for the phases of mbarriers that completed the lane's operation. */
static relation_t relation_of_phases(const race_access_t *access, const race_record_t *record, uint32_t lane,
                                     uint32_t view) {
  relation_t best = UNORDERED;
  for (const race_end_t *end = record->phases; end && best != ORDERED; end = end->next) {
    const race_part_t *part = nereid_emulator_race_clock_part(access->clock, end->cta);
    if (!(end->lanes >> lane & 1) || !part || part->times[end->actor] < end->time)
      continue;
    best = part->times[(size_t)view * access->race->n_actors + end->actor] >= end->time ? ORDERED : UNFENCED;
  }
  return best;
}

/* Whether the lane is the one of the new access, which has accessed before or waited for the operation. */
static bool is_own(const race_access_t *access, const race_record_t *record, uint32_t lane) {
  return !(record->flight >> lane & 1) && !(access->kind & RACE_WHOLE) && record->cta == access->cta->number &&
         record->warp == access->warp && (lane == access->lane || (record->kind & RACE_WHOLE));
}

/* Whether a lane's access of a record is ordered before the new one. */
static relation_t relation(const race_access_t *access, const race_record_t *record, uint32_t lane) {
  const uint32_t view = view_of(access, record), time = record->times ? record->times[lane] : record->time;
  const relation_t by_phase = relation_of_phases(access, record, lane, view);
  if (by_phase == ORDERED)
    return ORDERED;
  if (is_own(access, record, lane))
    return !view || access->cta->threads[record->warp * EMU_LANES + lane].fenced[view] >= time ? ORDERED : UNFENCED;
  const race_part_t *part = nereid_emulator_race_clock_part(access->clock, record->cta);
  const relation_t by_issuer = relation_of_issuer(access, part, record, lane, view);
  return by_issuer == UNORDERED ? by_phase : by_issuer;
}

bool nereid_emulator_race_all_ordered(const race_access_t *access, race_record_t *record) {
  const uint32_t view = view_of(access, record);
  if (!access->clock || (record->flight && !record->phases))
    return false;
  if (record->seen[view] == access->clock->serial)
    return true;
  const race_part_t *part = nereid_emulator_race_clock_part(access->clock, record->cta);
  if (!part && !record->phases)
    return false;
  for (uint32_t left = record->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (relation_of_issuer(access, part, record, lane, view) != ORDERED &&
        relation_of_phases(access, record, lane, view) != ORDERED)
      return false;
  }
  record->seen[view] = access->clock->serial;
  return true;
}

static const emu_race_cta_t *running(const emu_race_t *race, uint32_t number) {
  for (size_t i = 0; i < race->n_running; ++i)
    if (race->running[i]->number == number)
      return race->running[i];
  return NULL;
}

static bool one_cluster(const race_access_t *access, const race_record_t *record) {
  const emu_race_cta_t *other = running(access->race, record->cta);
  return other && other->cluster == access->cta->cluster;
}

/* The bytes that a lane of a store writes. */
static void stored(const race_access_t *access, uint32_t lane, uint8_t *bytes) {
  unsigned n = access->insn->n_vector, each = nereid_emulator_type_size((emu_type_t)access->insn->types[0]);
  for (unsigned i = 0; i < n; ++i) {
    uint64_t bits = emu_lane(access->storing, &access->insn->operands[1 + i], (int)lane);
    memcpy(bytes + i * each, &bits, each);
  }
}

/* Unordered accesses that do not race: strong ones whose scopes include each other, or weak stores of the same
 * value. */
static bool exempt(const race_access_t *access, const race_record_t *record, uint32_t index, uint32_t lane) {
  if (record->size != access->size)
    return false;
  if (access->strong && record->strong) {
    uint32_t scope = (access->strong < record->strong ? access->strong : record->strong) - 1u;
    return scope == 2 || record->cta == access->cta->number || (scope == 1 && one_cluster(access, record));
  }
  if (access->strong || record->strong || !access->storing || !(record->kind & access->kind & RACE_WRITES) ||
      (record->kind & (RACE_ASYNC | RACE_COPY)))
    return false;
  uint8_t value[32], other[32];
  stored(access, access->lane, value);
  if (index != access->record)
    return memcmp(access->places[access->lane], value, access->bytes) == 0;
  stored(access, lane, other);
  return access->places[lane] == access->places[access->lane] && memcmp(other, value, access->bytes) == 0;
}

/* Whether every access that races with the record also races with the new access. */
static bool covers(const race_access_t *access, const race_record_t *record) {
  return !access->strong || (record->strong >= access->strong && record->size == access->size);
}

static uint32_t new_node(emu_race_t *race, race_node_t node) {
  uint32_t index = race->free_node;
  if (index) {
    race->free_node = race->nodes[index].next;
  } else {
    if (race->n_nodes == race->node_capacity) {
      uint32_t capacity = race->node_capacity ? race->node_capacity * 2 : 1024;
      race_node_t *nodes = capacity < RACE_LIST ? realloc(race->nodes, capacity * sizeof *nodes) : NULL;
      if (!nodes) {
        race->failed = true;
        return 0;
      }
      race->nodes = nodes;
      race->node_capacity = capacity;
      race->n_nodes += race->n_nodes == 0; /* index 0 terminates lists */
    }
    index = race->n_nodes++;
  }
  race->nodes[index] = node;
  return index;
}

void nereid_emulator_race_list_free(emu_race_t *race, uint32_t cell) {
  uint32_t index = cell & RACE_LIST ? cell & ~RACE_LIST : 0;
  while (index) {
    uint32_t next = race->nodes[index].next;
    race->nodes[index].next = race->free_node;
    race->free_node = index;
    index = next;
  }
}

uint32_t nereid_emulator_race_list_copy(emu_race_t *race, uint32_t cell) {
  uint32_t first = 0;
  if (!(cell & RACE_LIST))
    return cell;
  for (uint32_t index = cell & ~RACE_LIST; index; index = race->nodes[index].next) {
    race_node_t node = race->nodes[index];
    node.next = first;
    first = new_node(race, node);
  }
  return first ? first | RACE_LIST : 0;
}

/* Prepends lanes of a record to a cell. */
static uint32_t with(emu_race_t *race, uint32_t cell, uint32_t record, uint32_t lanes) {
  if (!cell && !(lanes & (lanes - 1)))
    return record << 5 | (uint32_t)__builtin_ctz(lanes);
  if (cell && !(cell & RACE_LIST)) {
    uint32_t only = new_node(race, (race_node_t){cell >> 5, UINT32_C(1) << (cell & 31), 0});
    cell = only ? only | RACE_LIST : 0;
  }
  uint32_t first = cell & ~RACE_LIST;
  if (first && race->nodes[first].record == record) {
    race->nodes[first].lanes |= lanes;
    return cell;
  }
  uint32_t node = new_node(race, (race_node_t){record, lanes, first});
  return node ? node | RACE_LIST : cell;
}

typedef struct place {
  uint64_t address;
  uint32_t bytes;
  bool conflicts, replaces;
} place_t;

/* Returns the lanes of an entry that are kept beside the new access. */
static uint32_t entry(race_access_t *access, const place_t *place, uint32_t index, uint32_t lanes) {
  race_record_t *record = &access->race->records[index];
  uint32_t kept = 0;
  if (nereid_emulator_race_all_ordered(access, record))
    return place->replaces && covers(access, record) ? 0 : lanes;
  for (uint32_t left = lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    relation_t order = relation(access, record, lane);
    bool racy = place->conflicts && order != ORDERED && (order == UNFENCED || !exempt(access, record, index, lane));
    if (racy)
      nereid_emulator_race_report(access, index, lane, place->address, place->bytes,
                                  order == UNFENCED ? NEREID_EMULATOR_RACE_PROXY : NEREID_EMULATOR_RACE_DATA);
    bool gone = place->replaces && (racy || (order != UNORDERED && covers(access, record)));
    kept |= gone ? 0 : UINT32_C(1) << lane;
  }
  return kept;
}

/* Returns the cell that is kept beside the new access. For CTAs that cannot synchronize with this one, one access
 * suffices: it is unordered with all later ones. */
static uint32_t check(race_access_t *access, const place_t *place, uint32_t cell) {
  emu_race_t *race = access->race;
  uint32_t kept = 0;
  bool foreign = false;
  if (!cell)
    return 0;
  if (!(cell & RACE_LIST))
    return entry(access, place, cell >> 5, UINT32_C(1) << (cell & 31)) ? cell : 0;
  for (uint32_t node = cell & ~RACE_LIST; node; node = race->nodes[node].next) {
    uint32_t record = race->nodes[node].record, lanes = entry(access, place, record, race->nodes[node].lanes);
    bool far = !race->crosses && !running(race, race->records[record].cta);
    if (lanes && !(far && foreign))
      kept = with(race, kept, record, lanes);
    foreign |= far && lanes;
  }
  nereid_emulator_race_list_free(race, cell);
  return kept;
}

static bool was_strong(const emu_race_t *race, uint32_t cell) {
  return !(cell & RACE_LIST) ? cell && race->records[cell >> 5].strong
                             : race->records[race->nodes[cell & ~RACE_LIST].record].strong != 0;
}

void nereid_emulator_race_unit(race_access_t *access, uint32_t *write, uint32_t *read, uint64_t address,
                               uint32_t bytes) {
  emu_race_t *race = access->race;
  bool writes = access->kind & RACE_WRITES;
  place_t at_write = {address, bytes, true, writes}, at_read = {address, bytes, writes, true};
  if (writes && !access->strong && was_strong(race, *write))
    nereid_emulator_race_forget(race, access->target, address);
  *write = check(access, &at_write, *write);
  *read = check(access, &at_read, *read);
  uint32_t *cell = writes ? write : read;
  *cell = with(race, *cell, access->record, UINT32_C(1) << access->lane);
}
