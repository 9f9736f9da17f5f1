/* A layout conversion within each warp: registers of the own lane or of another one.
 *
 *   from  every lane has all 4 elements in registers     to  lane l has element l mod 4
 *     the register is the lane's low bits: selects, and no shuffle
 *
 * Register r of the result is in register reg(r) ^ masks of the set thread bits, of lane lane(thread) ^ lane(r).
 *
 * Where lanes have copies of an element, each reads for other threads, and selects the register before the shuffle: one
 * value is shuffled instead of two.
 *
 *   from  lanes l and l ^ 1 have elements 2m, 2m + 1 in registers, m = l / 2     to  lane l has element l ^ 16
 *     lane k selects register k mod 2, lane l reads it from lane l ^ 16 */
#ifndef NEREID_LAYOUT_WARP_MOVE_H
#define NEREID_LAYOUT_WARP_MOVE_H

#include "layout/linear_layout.h"

enum { NEREID_LAYOUT_WARP_MOVE_SELECTS = 10 };

typedef struct nereid_layout_warp_move {
  nereid_layout_t lane;   /* (register, lane, warp) of the result -> the lane that is read; one dimension */
  nereid_layout_t reg;    /* register of the result -> the register there; one dimension */
  bool own_lane;          /* the thread's part of `lane` is its own lane */
  int n_selects, n_after; /* all, and those after the shuffle */
  struct {
    uint8_t thread_bit; /* bit of the thread id: lanes, then warps */
    bool before;        /* the lane that is read selects, before the shuffle; otherwise the reading thread, after it */
    uint32_t mask;      /* xored to the register where it is set */
  } selects[NEREID_LAYOUT_WARP_MOVE_SELECTS];
} nereid_layout_warp_move_t;

/* Whether the conversion stays within warps and takes fewer instructions than through shared memory, with `words` of
 * 32 bits per element; writes the plan. */
bool nereid_layout_warp_move(const nereid_layout_t *from, const nereid_layout_t *to, int words,
                             nereid_layout_warp_move_t *out);

#endif
