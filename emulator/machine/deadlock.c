/* Describes the pending waits of a deadlock as text.
 *
 *   32 threads wait at line 27 (k.py:5) for phase 0 of the mbarrier at 0x8 (in phase 0, 1 of 1 arrivals pending);
 *   32 threads wait at line 30 (k.py:9) at barrier 1 (32 of 64 threads arrived)
 *
 * There is one entry per PTX line and barrier object. Entries that do not fit are counted. */
#include "emulator/machine/execute.h"
#include "emulator/machine/mbarrier.h"

enum { MAX_WAITS = 16 };

typedef struct wait {
  const emu_insn_t *insn;
  emu_cta_t *cta;   /* owner of the barrier object */
  uint32_t at;      /* mbarrier: offset in shared memory; else: barrier number */
  uint32_t threads; /* number of waiting threads */
  const emu_warp_t *warp;
  int lane; /* one of the waiting lanes */
  bool at_barrier, at_mbarrier, at_registers;
} wait_t;

static wait_t describe(emu_warp_t *warp, const emu_group_t *group) {
  wait_t it = {.insn = &warp->cta->kernel->program->insns.data[group->pc],
               .cta = warp->cta,
               .threads = (uint32_t)__builtin_popcount(group->mask),
               .warp = warp,
               .lane = __builtin_ctz(group->mask)};
  it.at_barrier = group->state == EMU_AT_BARRIER;
  it.at_mbarrier = it.insn->kind == EMU_KIND_MBARRIER_WAIT; /* possibly timed out */
  it.at_registers = it.insn->kind == EMU_KIND_REGISTERS;
  if (it.at_barrier)
    it.at = group->barrier;
  if (it.at_mbarrier)
    it.at = (uint32_t)emu_address(warp, it.insn, 1, it.lane) & EMU_OFFSET_MASK;
  return it;
}

static bool same(const wait_t *a, const wait_t *b) {
  return a->insn == b->insn && a->cta == b->cta && a->at == b->at;
}

static size_t collect(const emu_cluster_t *cluster, wait_t waits[MAX_WAITS]) {
  size_t n = 0;
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i)
      for (uint32_t g = 0; g < cluster->ctas[c].warps[i].n_groups; ++g) {
        const wait_t it = describe(&cluster->ctas[c].warps[i], &cluster->ctas[c].warps[i].groups[g]);
        size_t k = 0;
        while (k < n && !same(&waits[k], &it))
          ++k;
        if (k < n)
          waits[k].threads += it.threads;
        else if (n < MAX_WAITS)
          waits[n++] = it;
      }
  return n;
}

/* Returns the parity that a lane waits for. */
static unsigned awaited(const wait_t *it) {
  const uint64_t phase = emu_lane(it->warp, &it->insn->operands[2], it->lane);
  return it->insn->operands[2].size == 8 ? emu_mbarrier_parity(phase) : (unsigned)phase;
}

/* Prints the file and line of a place, without folders and call sites: a message has little room. */
static void print_source(const wait_t *it, char *out, size_t size) {
  const nereid_emulator_program_t *program = it->warp->cta->kernel->program;
  const char *text = it->insn->place ? program->places.data[it->insn->place].text : NULL;
  const size_t end = text ? strcspn(text, ",") : 0;
  size_t start = end;
  while (start && text[start - 1] != '/')
    --start;
  *out = 0;
  if (text)
    snprintf(out, size, " (%.*s)", (int)(end - start), text + start);
}

static void print(const wait_t *it, bool names_cta, char *out, size_t size) {
  char cta[40] = "", object[120] = "", source[60], bytes[30] = "";
  const emu_mbarrier_t *mbarrier = it->at_mbarrier ? emu_mbarrier_find(it->cta, it->at) : NULL;
  if (names_cta)
    snprintf(cta, sizeof cta, " of CTA (%u,%u,%u)", it->cta->id[0], it->cta->id[1], it->cta->id[2]);
  if (mbarrier) {
    const emu_mbarrier_state_t state = nereid_emulator_mbarrier_state(mbarrier->bits);
    if (state.bytes)
      snprintf(bytes, sizeof bytes, " and %d bytes", (int)state.bytes);
    snprintf(object, sizeof object, " for phase %u of the mbarrier at 0x%x (in phase %u, %u of %u arrivals%s pending)",
             awaited(it), (unsigned)it->at, state.parity, state.pending, state.expected, bytes);
  } else if (it->at_barrier) {
    const emu_barrier_t *barrier = &it->cta->barriers[it->at & 15];
    snprintf(object, sizeof object, " at barrier %u (%u of %u threads arrived)", (unsigned)it->at,
             (unsigned)barrier->arrived, (unsigned)(barrier->expected ? barrier->expected : it->cta->n_threads));
  } else if (it->at_registers) {
    snprintf(object, sizeof object, " for %u registers each; they have %u, and %u of the CTA are free",
             (unsigned)emu_lane(it->warp, &it->insn->operands[0], it->lane), (unsigned)it->warp->registers,
             (unsigned)it->cta->free_registers);
  }
  print_source(it, source, sizeof source);
  snprintf(out, size, "%u %s%s %s at line %u%s%s", it->threads, it->threads == 1 ? "thread" : "threads", cta,
           it->threads == 1 ? "waits" : "wait", it->insn->line, source, object);
}

void nereid_emulator_describe_waits(const emu_cluster_t *cluster, char *out, size_t size) {
  wait_t waits[MAX_WAITS];
  const size_t n = collect(cluster, waits);
  size_t used = 0;
  *out = 0;
  for (size_t i = 0; i < n; ++i) {
    char text[260];
    print(&waits[i], cluster->n_ctas > 1, text, sizeof text);
    const size_t needs = strlen(text) + 2;
    if (used + needs + sizeof "; 16 more" >= size) {
      snprintf(out + used, size - used, "%s%zu more", i ? "; " : "", n - i);
      return;
    }
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "; " : "", text);
  }
}
