/* Asynchronous effects: what an instruction starts and something later ends. Private to the emulator.
 *
 *   cp.async [dst], [src], 16      effect {warp, insn, lanes, ASYNC, payload: addresses}   issued, may land at any time
 *   cp.async.commit_group          the lanes' open group of ASYNC closes
 *   cp.async.wait_group 1          all groups but the last one have landed
 *
 * An effect lands by its function, at the time that the launch's `landing` says: at its issue, when something waits for
 * it, or at random. It ends, for those who may then touch its bytes, at the matching wait of its issuer or by an
 * mbarrier's phase. Errors while landing are located at the instruction that issued it. */
#ifndef NEREID_EMULATOR_EFFECT_H
#define NEREID_EMULATOR_EFFECT_H

#include "emulator/machine/cta.h"

/* Whose groups it belongs to; NONE: it is tracked by an mbarrier, or by nobody. */
enum { EMU_GROUP_ASYNC, EMU_GROUP_BULK, EMU_GROUP_WGMMA, EMU_GROUP_NONE };

typedef struct emu_effect emu_effect_t;

/* Does the work for `lanes`, a part of effect->lanes. False: it failed, nereid_emulator_fail has said why. */
typedef bool (*emu_land_t)(emu_effect_t *effect, uint32_t lanes);

struct emu_effect {
  emu_effect_t *previous, *next; /* in the cluster's list, in the order of issue */
  uint64_t serial;               /* in the cluster, from 1 */
  emu_warp_t *warp;              /* its issuer */
  const emu_insn_t *insn;
  uint32_t lanes;                 /* issuers */
  uint32_t landed;                /* of them, those whose part has landed */
  uint32_t read;                  /* of them, those whose part has been read: `collect` has run, or `land` */
  uint32_t path;                  /* the issuer's call path, for the frame check */
  uint8_t kind;                   /* EMU_GROUP_... */
  bool in_order;                  /* lands behind the earlier ones of its warp and kind, all lanes at once */
  uint32_t group[EMU_LANES];      /* per lane: how many groups the lane had committed at issue */
  emu_cta_t *mbarrier_cta;        /* where its mbarrier lies; null: it has none */
  uint32_t mbarrier, transaction; /* offset in shared memory; bytes that landing takes from its count */
  emu_land_t collect;             /* null, or reads the sources, for wait_group.read; runs before `land` */
  emu_land_t land;
  uint64_t order;                        /* of a wgmma, for the race detector */
  uint32_t races[2];                     /* what the race detector calls its reads and writes; 0: nothing */
  struct race_clock *knows;              /* what a warp's operation knew at its issue, for the race detector */
  void (*release)(emu_effect_t *effect); /* null, or frees what the payload owns */
  _Alignas(16) uint8_t payload[];
};

/* A new effect of the lanes of `mask` with `bytes` zeroed bytes of payload. Null after failing. */
emu_effect_t *nereid_emulator_effect(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int kind, size_t bytes);
/* Puts it in the queue; it is the queue's from here on. False: it landed at once and failed. */
NEREID_MUST_USE bool nereid_emulator_issue(emu_effect_t *effect);
/* Frees one that was not issued. */
void nereid_emulator_free_effect(emu_effect_t *effect);
/* Closes the open group of each lane. */
void nereid_emulator_commit(emu_warp_t *warp, uint32_t mask, int kind);
/* Lands all groups but the last `keep` of each lane; `reads`: only their reading. False: one failed. */
NEREID_MUST_USE bool nereid_emulator_wait_groups(emu_warp_t *warp, uint32_t mask, int kind, uint32_t keep, bool reads);
/* Lands what the lanes issued of `kind` before `before`, whatever its group. */
NEREID_MUST_USE bool nereid_emulator_land_earlier(const emu_effect_t *before, uint32_t lanes, int kind);
/* Lands what an mbarrier tracks, as far as landing is AT_WAIT. */
NEREID_MUST_USE bool nereid_emulator_land_tracked(emu_cta_t *cta, uint32_t mbarrier);
/* RANDOM: perhaps lands something, called between turns. */
NEREID_MUST_USE bool nereid_emulator_land_some(emu_cluster_t *cluster);
/* Lands one effect, the first one or any: nothing else can go on. out_any: there was one. */
NEREID_MUST_USE bool nereid_emulator_land_one(emu_cluster_t *cluster, bool *out_any);
/* Lands everything, up to a failure: the cluster is done. */
void nereid_emulator_land_all(emu_cluster_t *cluster);
/* Forgets what is left, after a failure. */
void nereid_emulator_drop_effects(emu_cluster_t *cluster);

#endif
