/* Special registers, by name (PTX ISA, Special Registers).
 *
 *   %ctaid.x   ->   32 equal values in the warp's block of special registers
 *   WARP_SZ    ->   a constant */
#include "emulator/machine/special_registers.h"
#include "emulator/parser/parse.h"

static const struct {
  const char *name;
  uint8_t slot, size;
} specials[] = {
    {"%tid.x", EMU_TID_X, 4},
    {"%tid.y", EMU_TID_Y, 4},
    {"%tid.z", EMU_TID_Z, 4},
    {"%ntid.x", EMU_NTID_X, 4},
    {"%ntid.y", EMU_NTID_Y, 4},
    {"%ntid.z", EMU_NTID_Z, 4},
    {"%ctaid.x", EMU_CTAID_X, 4},
    {"%ctaid.y", EMU_CTAID_Y, 4},
    {"%ctaid.z", EMU_CTAID_Z, 4},
    {"%nctaid.x", EMU_NCTAID_X, 4},
    {"%nctaid.y", EMU_NCTAID_Y, 4},
    {"%nctaid.z", EMU_NCTAID_Z, 4},
    {"%laneid", EMU_LANEID, 4},
    {"%warpid", EMU_WARPID, 4},
    {"%nwarpid", EMU_NWARPID, 4},
    {"%smid", EMU_SMID, 4},
    {"%nsmid", EMU_NSMID, 4},
    {"%lanemask_eq", EMU_LANEMASK_EQ, 4},
    {"%lanemask_lt", EMU_LANEMASK_LT, 4},
    {"%lanemask_le", EMU_LANEMASK_LE, 4},
    {"%lanemask_gt", EMU_LANEMASK_GT, 4},
    {"%lanemask_ge", EMU_LANEMASK_GE, 4},
    {"%dynamic_smem_size", EMU_DYNAMIC_SMEM, 4},
    {"%total_smem_size", EMU_TOTAL_SMEM, 4},
    {"%cluster_ctarank", EMU_CLUSTER_CTARANK, 4},
    {"%cluster_nctarank", EMU_CLUSTER_NCTARANK, 4},
    {"%cluster_ctaid.x", EMU_CLUSTER_CTAID_X, 4},
    {"%cluster_ctaid.y", EMU_CLUSTER_CTAID_Y, 4},
    {"%cluster_ctaid.z", EMU_CLUSTER_CTAID_Z, 4},
    {"%cluster_nctaid.x", EMU_CLUSTER_NCTAID_X, 4},
    {"%cluster_nctaid.y", EMU_CLUSTER_NCTAID_Y, 4},
    {"%cluster_nctaid.z", EMU_CLUSTER_NCTAID_Z, 4},
    {"%clusterid.x", EMU_CLUSTERID_X, 4},
    {"%clusterid.y", EMU_CLUSTERID_Y, 4},
    {"%clusterid.z", EMU_CLUSTERID_Z, 4},
    {"%nclusterid.x", EMU_NCLUSTERID_X, 4},
    {"%nclusterid.y", EMU_NCLUSTERID_Y, 4},
    {"%nclusterid.z", EMU_NCLUSTERID_Z, 4},
    {"%is_explicit_cluster", EMU_EXPLICIT_CLUSTER, 0},
    {"%clock", EMU_CLOCK_LO, 4},
    {"%clock_hi", EMU_CLOCK_HI, 4},
    {"%clock64", EMU_CLOCK_64, 8},
    {"%globaltimer", EMU_CLOCK_64, 8},
    {"%globaltimer_lo", EMU_CLOCK_LO, 4},
    {"%globaltimer_hi", EMU_CLOCK_HI, 4},
    {"%aggr_smem_size", EMU_TOTAL_SMEM, 4},
};

/* Constants for all threads and launches. */
static const struct {
  const char *name;
  uint32_t value;
} constants[] = {{"WARP_SZ", EMU_LANES}, {"%gridid", 0}, {"%current_graph_exec", 0}};

bool nereid_emulator_special(emu_parser_t *parser, nereid_view_t name, unsigned size, emu_operand_t *out) {
  static const char *const refused[] = {"%pm", "%envreg", "%reserved_smem_offset_"};
  for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i)
    if (nereid_emulator_is(name, specials[i].name)) {
      *out = (emu_operand_t){.offset = specials[i].slot * 128u, .base = EMU_SPECIALS, .size = specials[i].size};
      return true;
    }
  for (size_t i = 0; i < sizeof constants / sizeof *constants && (size == 4 || size == 8); ++i)
    if (nereid_emulator_is(name, constants[i].name)) {
      *out = (emu_operand_t){.base = EMU_CONSTANTS, .size = (uint8_t)size};
      return nereid_emulator_constant(parser, constants[i].value, size, &out->offset);
    }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
    if (nereid_view_starts_with(name, nereid_view(refused[i])))
      return nereid_emulator_syntax(parser, "the special register '%.*s' is not emulated", EMU_SHOWN(name));
  return nereid_emulator_syntax(parser, "'%.*s' is not declared", EMU_SHOWN(name));
}
