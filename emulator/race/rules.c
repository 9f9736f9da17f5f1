/* Races found by rule instead of by bytes in memory.
 *
 * Registers of wgmma: D, and A if it is in registers, must not be accessed between a wgmma and its wait. Earlier
 * accesses by other instructions, and the first wgmma, require wgmma.fence (PTX ISA, wgmma.fence). Instructions that
 * name such a register are marked once per launch, so that the check costs nothing elsewhere.
 *
 * Tensor maps that a kernel writes require tensormap.cp_fenceproxy or fence.proxy.tensormap::generic.release after
 * the writes, and fence.proxy.tensormap::generic.acquire of the map in the CTA that uses it. */
#include "emulator/machine/execute.h"
#include "emulator/race/private.h"

#include <stdlib.h>

static bool is_wgmma(const emu_insn_t *insn) {
  return insn->kind == EMU_KIND_WGMMA;
}

/* The registers of a wgmma that the rule covers: those of D, and of A if it is a list. */
static bool is_ruled(const emu_insn_t *insn, uint32_t k) {
  bool in_a = insn->lists[1].count > 1 && k - insn->lists[1].first < insn->lists[1].count;
  return in_a || k - insn->lists[0].first < insn->lists[0].count;
}

static uint32_t *slot_of(const emu_race_t *race, const emu_operand_t *operand) {
  return operand->base == EMU_REGISTERS && !operand->absent ? &race->slots_of_registers[operand->offset / 4] : NULL;
}

bool nereid_emulator_race_mark_registers(emu_race_t *race) {
  const nereid_emulator_program_t *program = race->program;
  race->slots_of_registers = calloc(program->register_bytes / 4 + 1, sizeof *race->slots_of_registers);
  race->watched = calloc(program->insns.size + 1, 1);
  if (!race->slots_of_registers || !race->watched)
    return false;
  for (size_t i = 0; i < program->insns.size; ++i)
    for (uint32_t k = 0; is_wgmma(&program->insns.data[i]) && k < program->insns.data[i].n_operands; ++k) {
      const emu_insn_t *insn = &program->insns.data[i];
      uint32_t *slot = is_ruled(insn, k) ? slot_of(race, &insn->operands[k]) : NULL;
      if (slot && !*slot)
        *slot = ++race->n_registers;
    }
  for (size_t i = 0; i < program->insns.size && race->n_registers; ++i) {
    const emu_insn_t *insn = &program->insns.data[i];
    for (uint32_t k = 0; k < insn->n_operands; ++k) {
      const uint32_t *slot = slot_of(race, &insn->operands[k]);
      race->watched[i] |= slot && *slot && !is_wgmma(insn);
    }
  }
  return true;
}

const uint8_t *nereid_emulator_race_watched(const emu_cta_t *cta) {
  return cta->race && cta->race->race->n_registers ? cta->race->race->watched : NULL;
}

static race_register_t *registers_of(emu_race_cta_t *cta, uint32_t warp) {
  size_t n = cta->race->n_registers + 1;
  if (!cta->registers)
    cta->registers = calloc(n * cta->race->n_warps, sizeof *cta->registers);
  cta->race->failed |= !cta->registers;
  return cta->registers ? cta->registers + n * warp : NULL;
}

static void report(emu_race_cta_t *cta, uint32_t warp, uint32_t earlier, uint32_t later,
                   nereid_emulator_race_class_t kind, uint64_t address, bool global) {
  race_access_t it = {.race = cta->race, .cta = cta, .warp = warp, .target = global ? NULL : cta};
  uint32_t before = nereid_emulator_race_record(cta, warp, earlier, 1, RACE_RULE, 0, 0);
  it.record = nereid_emulator_race_record(cta, warp, later, 1, RACE_RULE, 0, 0);
  if (before && it.record)
    nereid_emulator_race_report(&it, before, 0, address, 0, kind);
}

void nereid_emulator_race_registers(emu_warp_t *warp, const emu_insn_t *insn) {
  emu_race_cta_t *cta = warp->cta->race;
  race_register_t *registers = registers_of(cta, warp->index);
  uint32_t pc = (uint32_t)(insn - cta->race->program->insns.data);
  for (uint32_t k = 0; registers && k < insn->n_operands; ++k) {
    const uint32_t *slot = slot_of(cta->race, &insn->operands[k]);
    if (!slot || !*slot)
      continue;
    race_register_t *it = &registers[*slot];
    if (it->flight)
      report(cta, warp->index, it->flight_pc, pc, NEREID_EMULATOR_RACE_REGISTER, 0, false);
    it->touched = ++cta->race->steps;
    it->touched_pc = pc;
  }
}

void nereid_emulator_race_wgmma(emu_effect_t *effect) {
  emu_warp_t *warp = effect->warp;
  emu_race_cta_t *cta = warp->cta->race;
  race_register_t *registers = registers_of(cta, warp->index);
  uint32_t pc = (uint32_t)(effect->insn - cta->race->program->insns.data);
  effect->order = ++cta->race->steps;
  if (registers && !registers[0].touched) /* slot 0 stores the last fence */
    report(cta, warp->index, pc, pc, NEREID_EMULATOR_RACE_REGISTER, 0, false);
  for (uint32_t k = 0; registers && k < effect->insn->n_operands; ++k) {
    const uint32_t *slot = is_ruled(effect->insn, k) ? slot_of(cta->race, &effect->insn->operands[k]) : NULL;
    if (!slot)
      continue;
    race_register_t *it = &registers[*slot];
    if (it->touched > registers[0].touched)
      report(cta, warp->index, it->touched_pc, pc, NEREID_EMULATOR_RACE_REGISTER, 0, false);
    it->flight = effect->order;
    it->flight_pc = pc;
  }
}

void nereid_emulator_race_wgmma_fence(emu_warp_t *warp) {
  race_register_t *registers = registers_of(warp->cta->race, warp->index);
  if (registers)
    registers[0].touched = ++warp->cta->race->race->steps;
}

void nereid_emulator_race_wgmma_done(const emu_effect_t *effect) {
  race_register_t *registers = registers_of(effect->warp->cta->race, effect->warp->index);
  for (uint32_t i = 1; registers && i <= effect->warp->cta->race->race->n_registers; ++i)
    if (registers[i].flight == effect->order)
      registers[i].flight = 0;
}

static race_map_t *map_at(emu_race_t *race, uint64_t address, bool make) {
  for (size_t i = 0; i < race->n_maps; ++i)
    if (race->maps[i].address == address)
      return &race->maps[i];
  if (!make)
    return NULL;
  race_map_t *maps = realloc(race->maps, (race->n_maps + 1) * sizeof *maps);
  if (!maps) {
    race->failed = true;
    return NULL;
  }
  race->maps = maps;
  maps[race->n_maps] = (race_map_t){.address = address};
  return &maps[race->n_maps++];
}

/* Records the access to a map's bytes, and the edge between its release and acquire. */
static void touch(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target, uint64_t address,
                  emu_race_map_t what) {
  enum { BYTES = 128 };
  emu_race_cta_t *cta = warp->cta->race;
  race_thread_t *thread = &cta->threads[warp->index * EMU_LANES + (uint32_t)lane];
  bool copies = what == EMU_RACE_MAP_COPY, writes = copies || what == EMU_RACE_MAP_WRITE;
  if (what == EMU_RACE_MAP_ACQUIRE)
    nereid_emulator_race_acquire(cta, thread, address, NULL, RACE_SCOPES - 1, true);
  else if (what != EMU_RACE_MAP_RELEASE)
    nereid_emulator_race_touch(warp, insn, lane, target, address, BYTES, writes, copies ? RACE_SCOPES : 0);
  if (!copies)
    return;
  nereid_emulator_race_write(cta, warp->index, (uint32_t)lane, address, NULL, RACE_SCOPES - 1, true, false);
  cta->times[warp->index]++;
}

/* Whether an event is ordered before a lane's current position. */
static bool precedes(const emu_race_cta_t *cta, const race_event_t *event, uint32_t actor) {
  const race_part_t *part = nereid_emulator_race_clock_part(cta->threads[actor].clock, event->cta);
  return (event->cta == cta->number && event->actor == actor) || (part && part->times[event->actor] >= event->time);
}

static bool any_precedes(const emu_race_cta_t *cta, const race_events_t *events, uint32_t actor, bool own_cta) {
  for (size_t i = 0; i < events->size; ++i)
    if ((!own_cta || events->data[i].cta == cta->number) && precedes(cta, &events->data[i], actor))
      return true;
  return false;
}

/* A thread's first event precedes its later ones, so one suffices. */
static void add(emu_race_t *race, race_events_t *events, race_event_t event) {
  for (size_t i = 0; i < events->size; ++i)
    if (events->data[i].cta == event.cta && events->data[i].actor == event.actor)
      return;
  if (events->size == events->capacity) {
    size_t capacity = events->capacity ? events->capacity * 2 : 32;
    race_event_t *data = realloc(events->data, capacity * sizeof *data);
    if (!data) {
      race->failed = true;
      return;
    }
    events->data = data;
    events->capacity = capacity;
  }
  events->data[events->size++] = event;
}

/* A use requires an acquire before it in its CTA, which requires a release before it, which requires the write
 * before it. */
void nereid_emulator_race_map(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target,
                              uint64_t address, emu_race_map_t what) {
  emu_race_cta_t *cta = warp->cta->race;
  emu_race_t *race = cta->race;
  bool writes = !target && (what == EMU_RACE_MAP_WRITE || what == EMU_RACE_MAP_COPY);
  race_map_t *map = target ? NULL : map_at(race, address, writes);
  uint32_t pc = (uint32_t)(insn - race->program->insns.data), actor = warp->index * EMU_LANES + (uint32_t)lane;
  const race_event_t event = {cta->number, actor, cta->times[warp->index]};
  touch(warp, insn, lane, target, address, what);
  for (size_t i = 0; what == EMU_RACE_MAP_RELEASE && i < race->n_maps; ++i)
    if (race->maps[i].write.cta == cta->number && precedes(cta, &race->maps[i].write, actor))
      add(race, &race->maps[i].releases, event);
  if (!map)
    return;
  if (writes) {
    map->write = event;
    map->writer_pc = pc;
    map->releases.size = map->acquires.size = 0;
    if (what == EMU_RACE_MAP_COPY)
      add(race, &map->releases, event);
  } else if (what == EMU_RACE_MAP_ACQUIRE && any_precedes(cta, &map->releases, actor, false)) {
    add(race, &map->acquires, event);
  } else if (what == EMU_RACE_MAP_USE && !any_precedes(cta, &map->acquires, actor, true)) {
    report(cta, warp->index, map->writer_pc, pc, NEREID_EMULATOR_RACE_TENSOR_MAP, address, true);
  }
}
