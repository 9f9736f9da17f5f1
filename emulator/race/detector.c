/* The race detector of a launch. For each request of a warp it checks and records the lanes' bytes and adds the edges
 * of strong accesses before or after.
 *
 * With race detection the CTAs of a launch run sequentially, so that the results are deterministic. */
#include "emulator/race/race.h"

#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"
#include "emulator/race/private.h"

#include <stdlib.h>

/* Whether the program waits for copies in both ways: cp.async.wait_group or wait_all, and arrivals at mbarriers. */
static bool has_two_ends(const nereid_emulator_program_t *program) {
  bool waits = false, arrives = false;
  for (size_t i = 0; i < program->insns.size; ++i) {
    waits |= program->insns.data[i].kind == EMU_KIND_COPY_WAIT;
    arrives |= program->insns.data[i].kind == EMU_KIND_COPY_ARRIVE;
  }
  return waits && arrives;
}

emu_race_t *nereid_emulator_race_create(const nereid_emulator_kernel_t *kernel,
                                        const nereid_emulator_launch_t *launch) {
  emu_race_t *race = calloc(1, sizeof *race);
  if (!race)
    return NULL;
  race->program = kernel->program;
  memcpy(race->grid, launch->grid, sizeof race->grid);
  memcpy(race->block, launch->block, sizeof race->block);
  race->n_warps = (race->block[0] * race->block[1] * race->block[2] + EMU_LANES - 1) / EMU_LANES;
  race->n_threads = race->n_warps * EMU_LANES;
  race->n_actors = race->n_threads + RACE_PHASES;
  if (!nereid_emulator_race_mark_registers(race)) {
    nereid_emulator_race_destroy(race);
    return NULL;
  }
  race->crosses = kernel->program->has_atomics;
  for (size_t i = 0; i < kernel->program->insns.size; ++i) {
    const emu_insn_t *insn = &kernel->program->insns.data[i];
    race->crosses |= EMU_HAS(insn, acquire) || EMU_HAS(insn, acq_rel) || EMU_HAS(insn, sc) || EMU_HAS(insn, gl) ||
                     EMU_HAS(insn, volatile);
    race->has_sc |= nereid_emulator_race_is_sc(insn);
  }
  race->has_two_ends = has_two_ends(kernel->program);
  return race;
}

void nereid_emulator_race_destroy(emu_race_t *race) {
  if (!race)
    return;
  for (size_t i = 0; i < race->slot_capacity; ++i)
    nereid_emulator_race_free_pages(&race->slots[i].page, 1);
  for (size_t i = 0; i < race->location_capacity; ++i)
    for (int k = 0; k < RACE_SCOPES; ++k)
      nereid_emulator_race_clock_drop(race->locations[i].released[k]);
  for (size_t i = 0; i < race->location_capacity; ++i) {
    nereid_emulator_race_clock_drop(race->locations[i].written);
    nereid_emulator_race_clock_drop(race->locations[i].read);
  }
  for (uint32_t i = 1; i < race->n_records; ++i)
    nereid_emulator_race_record_clear(&race->records[i]);
  free(race->slots);
  free(race->locations);
  free(race->records);
  free(race->free_records);
  free(race->nodes);
  free(race->running);
  free(race->slots_of_registers);
  free(race->watched);
  for (size_t i = 0; i < race->n_maps; ++i) {
    free(race->maps[i].releases.data);
    free(race->maps[i].acquires.data);
  }
  free(race->maps);
  free(race->races);
  free(race);
}

static bool remember(emu_race_t *race, emu_race_cta_t *cta) {
  if (race->n_running == race->running_capacity) {
    size_t capacity = race->running_capacity ? race->running_capacity * 2 : 16;
    emu_race_cta_t **running = realloc(race->running, capacity * sizeof *running);
    if (!running)
      return false;
    race->running = running;
    race->running_capacity = capacity;
  }
  race->running[race->n_running++] = cta;
  return true;
}

bool nereid_emulator_race_start(emu_race_t *race, emu_cta_t *cta) {
  uint32_t n_pages = (cta->shared_bytes + RACE_PAGE - 1) / RACE_PAGE;
  size_t own = sizeof(emu_race_cta_t), threads = race->n_threads * sizeof(race_thread_t);
  emu_race_cta_t *part = calloc(1, own + threads + n_pages * sizeof(race_page_t *) + race->n_warps * sizeof(uint32_t));
  if (!part || !remember(race, part)) {
    free(part);
    return false;
  }
  part->race = race;
  part->cta = cta;
  part->number = cta->id[0] + race->grid[0] * (cta->id[1] + race->grid[1] * cta->id[2]);
  part->cluster = cta->rank ? cta->cluster->ctas[0].race->number : part->number;
  part->threads = (race_thread_t *)(void *)((uint8_t *)part + own);
  part->pages = (race_page_t **)(void *)((uint8_t *)part + own + threads);
  part->times = (uint32_t *)(void *)(part->pages + n_pages);
  part->n_pages = n_pages;
  for (uint32_t i = 0; i < race->n_warps; ++i)
    part->times[i] = 1;
  cta->race = part;
  return true;
}

/* Discards a CTA's shared memory histories; their records may be reused. */
void nereid_emulator_race_finish(emu_cta_t *cta) {
  emu_race_cta_t *part = cta->race;
  if (!part)
    return;
  emu_race_t *race = part->race;
  for (uint32_t i = 0; i < part->n_pages; ++i)
    nereid_emulator_race_cells(part->pages[i], nereid_emulator_race_list_free, race);
  nereid_emulator_race_free_pages(part->pages, part->n_pages);
  for (uint32_t i = 0; i < race->n_threads; ++i) {
    nereid_emulator_race_clock_drop(part->threads[i].clock);
    for (int k = 0; k < RACE_SCOPES; ++k) {
      nereid_emulator_race_clock_drop(part->threads[i].released[k]);
      nereid_emulator_race_clock_drop(part->threads[i].observed[k]);
    }
  }
  for (unsigned id = 0; id < 16; ++id)
    nereid_emulator_race_clock_drop(part->barriers[id]);
  for (unsigned i = 0; i < RACE_PHASES; ++i) {
    nereid_emulator_race_clock_drop(part->phases[i].pending);
    nereid_emulator_race_clock_drop(part->phases[i].done);
  }
  nereid_emulator_race_clock_drop(part->cluster_pending);
  nereid_emulator_race_clock_drop(part->cluster_done);
  for (size_t i = 0; i < race->n_running; ++i)
    if (race->running[i] == part)
      race->running[i--] = race->running[--race->n_running];
  free(part->registers);
  free(part);
  cta->race = NULL;
}

bool nereid_emulator_race_failed(const emu_race_t *race) {
  return race->failed;
}

size_t nereid_emulator_race_results(const emu_race_t *race, const nereid_emulator_race_t **out_races) {
  *out_races = race->races;
  return race->n_races;
}

#define STRONG                                                                                                         \
  (EMU_BIT(volatile) | EMU_BIT(relaxed) | EMU_BIT(acquire) | EMU_BIT(release) | EMU_BIT(acq_rel) | EMU_BIT(mmio))

/* Returns the CTA whose shared memory contains an address, which becomes an offset; null: global memory. */
static emu_race_cta_t *target_of(const emu_warp_t *warp, const emu_insn_t *insn, uint64_t *address) {
  if (nereid_emulator_access_space(insn, *address) != EMU_SHARED)
    return NULL;
  const emu_cta_t *cta = nereid_emulator_cta_of(warp->cta, *address);
  *address &= EMU_OFFSET_MASK;
  return cta ? cta->race : warp->cta->race;
}

static bool is_traced(const emu_insn_t *insn, uint64_t address) {
  emu_space_t space = nereid_emulator_access_space(insn, address);
  return (space == EMU_SHARED || space == EMU_GLOBAL) && !EMU_HAS(insn, const) && !EMU_HAS(insn, param);
}

/* Edges of a strong access: an acquire observes the location before the access, a release is published with it. */
static void synchronize(race_access_t *access, const emu_insn_t *insn, uint64_t address, emu_access_t how) {
  bool acquires = EMU_HAS(insn, acquire) || EMU_HAS(insn, acq_rel), writes = how != EMU_READ;
  bool releases = EMU_HAS(insn, release) || EMU_HAS(insn, acq_rel);
  int scope = access->strong - 1;
  race_thread_t *thread = &access->cta->threads[access->warp * EMU_LANES + access->lane];
  if (access->cta->race->has_sc && scope == 2)
    nereid_emulator_race_communicate(access->cta, thread, address, access->target, how);
  if (how != EMU_WRITE)
    nereid_emulator_race_acquire(access->cta, thread, address, access->target, scope, acquires);
  if (writes)
    nereid_emulator_race_write(access->cta, access->warp, access->lane, address, access->target, scope, releases,
                               how == EMU_UPDATE);
}

void nereid_emulator_race_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t *const *places) {
  emu_race_cta_t *cta = warp->cta->race;
  bool atomic = insn->counter_class == NEREID_EMULATOR_CLASS_ATOMIC, strong = atomic || (insn->modifiers & STRONG);
  bool writes = access != EMU_READ, releases = writes && (EMU_HAS(insn, release) || EMU_HAS(insn, acq_rel));
  if (!mask || !is_traced(insn, addresses[__builtin_ctz(mask)]) || cta->race->failed)
    return;
  race_access_t it = {.race = cta->race,
                      .cta = cta,
                      .warp = warp->index,
                      .kind = (uint8_t)((writes ? RACE_WRITES : 0) | (atomic ? RACE_ATOMIC : 0)),
                      .size = (uint8_t)(atomic ? nereid_emulator_type_size((emu_type_t)insn->types[0]) : bytes),
                      .strong = strong ? (uint8_t)(1 + nereid_emulator_race_scope(insn)) : 0,
                      .storing = writes && !atomic && places ? warp : NULL,
                      .insn = insn,
                      .places = places,
                      .bytes = bytes};
  it.record = nereid_emulator_race_record(cta, warp->index, (uint32_t)(insn - cta->race->program->insns.data), mask,
                                          it.kind, it.size, it.strong);
  FOR_LANES(lane, it.record ? mask : 0) {
    uint64_t address = addresses[lane];
    const race_clock_t *clock = cta->threads[warp->index * EMU_LANES + lane].clock;
    it.good = clock == it.clock ? it.good : 0;
    it.clock = clock;
    it.lane = lane;
    it.target = target_of(warp, insn, &address);
    nereid_emulator_race_range(&it, address, bytes);
    if (strong)
      synchronize(&it, insn, address, access);
    if (releases)
      cta->times[warp->index]++;
  }
}
