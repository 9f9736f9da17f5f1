"""All cases of the zoo, by family."""

from . import algebra, attention, control, fused, indexed, matmul, quantized, recurrent

FAMILIES = (matmul, fused, quantized, attention, recurrent, indexed, algebra, control)

# Variants of other cases, without a test in test/emulator/dots: the .ttir of all cases would be 800 kB.
VARIANTS = set("""
tf32_nt tf32_tn e4m3_nt e4m3_tt i8_nt i8_tn f16_nt bf16_nn_masked bf16_tt_masked e5m2_nt f64_nn f32_tf32x3_masked f32_ieee_masked
persistent epilogue_residual epilogue_row_scale epilogue_accumulate rows_layer_norm
int4_words int8_weights int8_scaled fp8_weights scaled_e5m2 scaled_e4m3
attention_full attention_alibi attention_softcap attention_batch attention_d128 attention_d128_causal
backward_q backward_kv decode_latent linear_attention linear_attention_d128
convolution_1x1 convolution_dilated convolution_1d experts unrolled_by_2
""".split())


def cases():
    found = [case for family in FAMILIES for case in family.cases()]
    names = [case.name for case in found]
    assert len(set(names)) == len(names), "two cases have one name"
    assert set(names) >= VARIANTS, "a variant that does not exist"
    return found
