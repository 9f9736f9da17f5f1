"""All cases with tensor descriptors, by family."""

from . import tma_copies, tma_made, tma_matmul, tma_models, tma_reductions, tma_rows

FAMILIES = (tma_copies, tma_reductions, tma_rows, tma_made, tma_matmul, tma_models)

# Variants of other cases, without a test in test/emulator/tma.
VARIANTS = set("""
tripled_bf16 tripled_e5m2 tripled_i32 tripled_u16 tripled_u32 tripled_i64 line_i64 transposed_tiles_f32 outside_nan_f32 outside_zero_e5m2
added_bf16 extremes_bf16 extremes_u64 bits_i32 planes_added_zero scattered
multiplied_f16_nt multiplied_f16_tn multiplied_bf16 multiplied_e5m2 persistent two_loops_96 attention_full
""".split())


def cases():
    found = [case for family in FAMILIES for case in family.cases()]
    names = [case.name for case in found]
    assert len(set(names)) == len(names), "two cases have one name"
    assert set(names) >= VARIANTS, "a variant that does not exist"
    return found
