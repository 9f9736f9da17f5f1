/* Slots of rings that dots in flight read, and that later ops write. */
#ifndef NEREID_PASSES_SLOT_OVERLAP_H
#define NEREID_PASSES_SLOT_OVERLAP_H

#include "analysis/access/ring_phase.h"

#include <mlir-c/IR.h>

#include <stdbool.h>

/* The buffer of which `value`, a memdesc, is a view. */
MlirValue nereid_slot_buffer(MlirValue value);

/* Whether the memory that the memdesc `read` selected `age` iterations ago may be part of what `written` selects
 * now. */
bool nereid_slots_may_overlap(nereid_ring_phases_t *phases, MlirValue read, int age, MlirValue written);

#endif
