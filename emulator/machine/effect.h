/* Asynchronous effects: operations that start at one instruction and complete later. Private to the emulator.
 *
 *   cp.async [dst], [src], 16      effect {warp, insn, lanes, ASYNC, payload: addresses}   issued, may land at any time
 *   cp.async.commit_group          the lanes' open group of ASYNC closes
 *   cp.async.wait_group 1          all groups but the last one have landed
 *
 * An effect lands when its `land` function runs. The launch's `landing` option selects when: at issue, at a wait, or
 * at random. Other threads may access its bytes after the issuer's matching wait or after an mbarrier's phase.
 * Errors during landing are located at the issuing instruction. */
#ifndef NEREID_EMULATOR_EFFECT_H
#define NEREID_EMULATOR_EFFECT_H

#include "emulator/machine/cta.h"

/* Group kind of an effect. NONE: the effect belongs to no group; an mbarrier may track it. */
enum { EMU_GROUP_ASYNC, EMU_GROUP_BULK, EMU_GROUP_WGMMA, EMU_GROUP_NONE };

typedef struct emu_effect emu_effect_t;

/* Performs the effect for `lanes`, a subset of effect->lanes. False: nereid_emulator_fail has set the message. */
typedef bool (*emu_land_t)(emu_effect_t *effect, uint32_t lanes);

struct emu_effect {
  emu_effect_t *previous, *next; /* in the cluster's list, in issue order */
  uint64_t serial;               /* serial number in the cluster, from 1 */
  emu_warp_t *warp;              /* its issuer */
  const emu_insn_t *insn;
  uint32_t lanes;                 /* issuing lanes */
  uint32_t landed;                /* the issuing lanes whose part has landed */
  uint32_t read;                  /* the issuing lanes whose sources have been read, by `collect` or `land` */
  uint32_t awaited;               /* the issuing lanes that have waited for their group, or for its reads */
  uint32_t path;                  /* the issuer's call path, for the frame check */
  uint8_t kind;                   /* EMU_GROUP_... */
  bool in_order;                  /* lands after the earlier effects of its warp and kind, all lanes at once */
  uint32_t group[EMU_LANES];      /* per lane: number of groups committed before issue */
  emu_cta_t *mbarrier_cta;        /* CTA whose shared memory contains its mbarrier; null: no mbarrier */
  uint32_t mbarrier, transaction; /* offset in shared memory; bytes that landing subtracts from the transaction count */
  uint32_t phase;                 /* number of the mbarrier's phase in which it landed */
  emu_land_t collect;             /* null, or reads the sources for wait_group.read; runs before `land` */
  emu_land_t land;
  uint64_t issued, resumed; /* times for the timeline: of issue; at which an instruction goes on after landing it */
  uint64_t order;           /* issue order of a wgmma, for the race detector */
  /* The race detector's records of its reads, its writes and its change of the mbarrier; 0: none. */
  uint32_t races[3];
  struct race_clock *clock_at_issue;     /* vector clock at the issue of a warp's operation, for the race detector */
  void (*release)(emu_effect_t *effect); /* null, or frees resources owned by the payload */
  _Alignas(16) uint8_t payload[];
};

/* Creates an effect for the lanes of `mask` with `bytes` zeroed bytes of payload. Null: failed, message set. */
emu_effect_t *nereid_emulator_effect(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int kind, size_t bytes);
/* Adds the effect to the queue, which takes ownership. False: it landed at once and failed. */
NEREID_MUST_USE bool nereid_emulator_issue(emu_effect_t *effect);
/* Frees an effect that was not issued. */
void nereid_emulator_free_effect(emu_effect_t *effect);
/* Closes the open group of each lane. */
void nereid_emulator_commit(emu_warp_t *warp, uint32_t mask, int kind);
/* Lands all groups except the last `keep` of each lane; `reads`: only their reads. False: an effect failed. */
NEREID_MUST_USE bool nereid_emulator_wait_groups(emu_warp_t *warp, uint32_t mask, int kind, uint32_t keep, bool reads);
/* Lands the effects of `kind` that the lanes issued before `before`, regardless of group. */
NEREID_MUST_USE bool nereid_emulator_land_earlier(const emu_effect_t *before, uint32_t lanes, int kind);
/* Lands the effects with the same `land` that the lanes issued before `before`. */
NEREID_MUST_USE bool nereid_emulator_land_earlier_like(const emu_effect_t *before, uint32_t lanes);
/* Lands the effects that an mbarrier tracks, if landing is AT_WAIT. */
NEREID_MUST_USE bool nereid_emulator_land_tracked(emu_cta_t *cta, uint32_t mbarrier);
/* A thread observed the end of the mbarrier's last phase: forgets the copies that the queue keeps for this wait. */
void nereid_emulator_phase_observed(emu_cta_t *cta, uint32_t mbarrier);
/* Landing RANDOM: may land some effects. Called between scheduling slices. */
NEREID_MUST_USE bool nereid_emulator_land_some(emu_cluster_t *cluster);
/* Lands one effect, the first or a random one, when no group can run. out_any: there was an effect. */
NEREID_MUST_USE bool nereid_emulator_land_one(emu_cluster_t *cluster, bool *out_any);
/* Reports bulk copies that access shared memory at the end of the cluster without a wait. False: failed. */
NEREID_MUST_USE bool nereid_emulator_check_exit(const emu_cluster_t *cluster);
/* Lands all effects at the end of the cluster, stopping at a failure. */
void nereid_emulator_land_all(emu_cluster_t *cluster);
/* Discards the remaining effects after a failure. */
void nereid_emulator_drop_effects(emu_cluster_t *cluster);

#endif
