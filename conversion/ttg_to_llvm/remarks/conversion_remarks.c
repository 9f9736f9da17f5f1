/* Remarks on the path of a ttg.convert_layout and its cost per thread; see remarks.h.
 *
 *   rows to columns   ->   remark: through 4096 bytes of shared memory: 8 stores of 32 bits, a barrier, 2 loads of 128
 *                          bits per thread; bank conflicts: 0 at a store, 0 at a load
 *
 * Bank conflicts by the model of layout/exchange.h: a wavefront has 128 bytes; lanes that access different words of the
 * same bank conflict. Slots are linear in lanes, so that the first lanes represent all. */
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include "analysis/allocation/scratch.h"
#include "layout/warp_move.h"

#include <stdio.h>

enum { BANKS = 32, WORD = 4, WAVEFRONT = 128, ACCESS_BYTES = 16, MAX_WORDS = 32 };

/* One direction of an exchange. */
typedef struct side {
  char text[48]; /* the instructions of a thread */
  int waits;     /* wavefronts instead of one; 1: no conflict */
} side_t;

/* The maximum number of distinct words per bank; each lane of a wavefront accesses `bytes` from its slot on. */
static int count_waits(const nereid_layout_t *slots, int element, int bytes) {
  uint32_t seen[BANKS][MAX_WORDS];
  int count[BANKS] = {0}, most = 1;
  const int lanes = bytes > WORD ? WAVEFRONT / bytes : BANKS;
  const int existing = 1 << slots->in_bits[NEREID_LAYOUT_LANE];
  for (int lane = 0; lane < lanes && lane < existing; ++lane) {
    const uint32_t start = nereid_layout_apply(slots, 0, (uint32_t)lane, 0, 0) * (uint32_t)element;
    for (uint32_t word = start / WORD; word * WORD < start + (uint32_t)bytes; ++word) {
      const uint32_t bank = word % BANKS;
      int at = 0;
      while (at < count[bank] && seen[bank][at] != word)
        ++at;
      if (at == count[bank] && at < MAX_WORDS)
        seen[bank][count[bank]++] = word;
      most = count[bank] > most ? count[bank] : most;
    }
  }
  return most;
}

static side_t side_of(const nereid_layout_t *slots, int element, const nereid_layout_matrices_t *matrices,
                      const char *plain, const char *matrix) {
  side_t side;
  int vector = nereid_layout_contiguity(slots, 0);
  while (vector * element > ACCESS_BYTES)
    vector /= 2;
  if (matrices->tiles) {
    side.waits = count_waits(&matrices->rows, element, ACCESS_BYTES);
    snprintf(side.text, sizeof side.text, "%d %s of %d tiles",
             nereid_layout_registers(slots) * element / (WORD * matrices->tiles), matrix, matrices->tiles);
  } else {
    side.waits = count_waits(slots, element, vector * element);
    const int n = nereid_layout_registers(slots) / vector;
    snprintf(side.text, sizeof side.text, "%d %s%s of %d bits", n, plain, n == 1 ? "" : "s", vector * element * 8);
  }
  return side;
}

void nereid_lower_remark_exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_exchange_t *plan) {
  if (!nereidMlirRemarksEnabled(lower->context))
    return;
  const int element = (int)nereid_scratch_element_bytes(mlirValueGetType(mlirOperationGetResult(op, 0)));
  const side_t store = side_of(&plan->store, element, &plan->store_matrices, "store", "stmatrix");
  const side_t load = side_of(&plan->load, element, &plan->load_matrices, "load", "ldmatrix");
  nereid_lower_remark(op, NereidMlirRemarkMissed, "conversion",
                      "through %lld bytes of shared memory: %s, a barrier, %s per thread; bank conflicts: %d at a "
                      "store, %d at a load",
                      (long long)nereid_scratch_bytes(op), store.text, load.text, store.waits - 1, load.waits - 1);
}

/* As in conversion/ttg_to_llvm/shape/convert_layout.c: each distinct register of the result is selected from 2^selects
 * values, those of selects after the shuffle each from the own lane or by one shuffle per word. */
static void remark_warp(MlirOperation op, const nereid_layout_t *from, const nereid_layout_t *to) {
  nereid_layout_warp_move_t plan;
  uint32_t copies[NEREID_LAYOUT_DIMS];
  int shuffles = 0, selects = 0;
  const unsigned bits = nereid_lower_memory_bits(mlirValueGetType(mlirOperationGetResult(op, 0)));
  const int words = bits > 32 ? (int)bits / 32 : 1;
  nereid_layout_warp_move(from, to, 1, &plan);
  nereid_layout_free_masks(to, copies);
  for (uint32_t r = 0; r < (uint32_t)nereid_layout_registers(to); ++r) {
    if (r & copies[NEREID_LAYOUT_REGISTER])
      continue;
    const bool shuffled = !plan.own_lane || nereid_layout_apply(&plan.lane, r, 0, 0, 0);
    shuffles += shuffled ? words << plan.n_after : 0;
    selects += (1 << plan.n_selects) - 1;
  }
  nereid_lower_remark(op, NereidMlirRemarkPassed, "conversion", "within the warp: %d shuffles, %d selects per thread",
                      shuffles, selects);
}

void nereid_lower_remark_conversion(nereid_lower_t *lower, MlirOperation op) {
  if (!nereidMlirRemarksEnabled(lower->context))
    return;
  const nereid_layout_t *from = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  const nereid_conversion_path_t path = nereid_conversion_path(op);
  if (from && to && path == NEREID_CONVERSION_WARP)
    remark_warp(op, from, to);
  else if (path == NEREID_CONVERSION_RENAMES)
    nereid_lower_remark(op, NereidMlirRemarkPassed, "conversion",
                        "no instruction: every thread already holds its elements");
}
