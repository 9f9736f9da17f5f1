// Conversions that sm_80 computes in integers and by rounding to odd, one function each, for casts_host.c.

tt.func private @e4m3_to_f16(%x: i8) -> i16 {
  %a = arith.bitcast %x : i8 to f8E4M3FN
  %b = tt.fp_to_fp %a : f8E4M3FN -> f16
  %c = arith.bitcast %b : f16 to i16
  tt.return %c : i16
}

tt.func private @e4m3_to_f32(%x: i8) -> f32 {
  %a = arith.bitcast %x : i8 to f8E4M3FN
  %b = tt.fp_to_fp %a : f8E4M3FN -> f32
  tt.return %b : f32
}

tt.func private @e4m3_to_f64(%x: i8) -> f64 {
  %a = arith.bitcast %x : i8 to f8E4M3FN
  %b = tt.fp_to_fp %a : f8E4M3FN -> f64
  tt.return %b : f64
}

tt.func private @f16_to_e4m3_rtne(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to f16
  %b = tt.fp_to_fp %a, rounding = rtne : f16 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @bf16_to_e4m3_rtne(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to bf16
  %b = tt.fp_to_fp %a, rounding = rtne : bf16 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @f32_to_e4m3_rtne(%x: f32) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @f64_to_e4m3_rtne(%x: f64) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtne : f64 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @f16_to_e4m3_rtz(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to f16
  %b = tt.fp_to_fp %a, rounding = rtz : f16 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @bf16_to_e4m3_rtz(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to bf16
  %b = tt.fp_to_fp %a, rounding = rtz : bf16 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @f32_to_e4m3_rtz(%x: f32) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtz : f32 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @f64_to_e4m3_rtz(%x: f64) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtz : f64 -> f8E4M3FN
  %c = arith.bitcast %b : f8E4M3FN to i8
  tt.return %c : i8
}

tt.func private @e5m2_to_f16(%x: i8) -> i16 {
  %a = arith.bitcast %x : i8 to f8E5M2
  %b = tt.fp_to_fp %a : f8E5M2 -> f16
  %c = arith.bitcast %b : f16 to i16
  tt.return %c : i16
}

tt.func private @e5m2_to_f32(%x: i8) -> f32 {
  %a = arith.bitcast %x : i8 to f8E5M2
  %b = tt.fp_to_fp %a : f8E5M2 -> f32
  tt.return %b : f32
}

tt.func private @e5m2_to_f64(%x: i8) -> f64 {
  %a = arith.bitcast %x : i8 to f8E5M2
  %b = tt.fp_to_fp %a : f8E5M2 -> f64
  tt.return %b : f64
}

tt.func private @f16_to_e5m2_rtne(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to f16
  %b = tt.fp_to_fp %a, rounding = rtne : f16 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @bf16_to_e5m2_rtne(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to bf16
  %b = tt.fp_to_fp %a, rounding = rtne : bf16 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f32_to_e5m2_rtne(%x: f32) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f64_to_e5m2_rtne(%x: f64) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtne : f64 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f16_to_e5m2_rtz(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to f16
  %b = tt.fp_to_fp %a, rounding = rtz : f16 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @bf16_to_e5m2_rtz(%x: i16) -> i8 {
  %a = arith.bitcast %x : i16 to bf16
  %b = tt.fp_to_fp %a, rounding = rtz : bf16 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f32_to_e5m2_rtz(%x: f32) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtz : f32 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f64_to_e5m2_rtz(%x: f64) -> i8 {
  %b = tt.fp_to_fp %x, rounding = rtz : f64 -> f8E5M2
  %c = arith.bitcast %b : f8E5M2 to i8
  tt.return %c : i8
}

tt.func private @f64_to_bf16(%x: f64) -> i16 {
  %b = arith.truncf %x : f64 to bf16
  %c = arith.bitcast %b : bf16 to i16
  tt.return %c : i16
}

tt.func private @s32_to_bf16(%x: i32) -> i16 {
  %b = arith.sitofp %x : i32 to bf16
  %c = arith.bitcast %b : bf16 to i16
  tt.return %c : i16
}

tt.func private @u32_to_bf16(%x: i32) -> i16 {
  %b = arith.uitofp %x : i32 to bf16
  %c = arith.bitcast %b : bf16 to i16
  tt.return %c : i16
}

tt.func private @s64_to_bf16(%x: i64) -> i16 {
  %b = arith.sitofp %x : i64 to bf16
  %c = arith.bitcast %b : bf16 to i16
  tt.return %c : i16
}

tt.func private @u64_to_bf16(%x: i64) -> i16 {
  %b = arith.uitofp %x : i64 to bf16
  %c = arith.bitcast %b : bf16 to i16
  tt.return %c : i16
}
