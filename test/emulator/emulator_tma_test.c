/* Bulk and tensor copies: boxes of every rank, swizzle and element size, partly out of bounds, in both directions and
 * with reductions, compared bytewise with loops over elements, under every schedule, landing time and visibility to the
 * async proxy. */
#include "base/kernel/tensor_map.h"
#include "test/emulator/emulate.h"

#include <string.h>

/* The data: a map, at TENSOR the tensor, at OUT what the kernel writes. */
enum { TENSOR = 4096, OUT = 49152, SIZE = 65536, SHARED = 16384, BOX_AT = 1024 };

static nereid_emulator_report_t report;
static uint8_t data[SIZE], expected[SIZE];
static char body[8192], text[16384];

typedef struct box_case {
  nereid_tensor_map_t map;
  int32_t at[5];
} box_case_t;

static const box_case_t cases[] = {
    {{.rank = 1, .element = NEREID_TENSOR_MAP_U8, .shape = {100}, .box = {64}}, {48}},
    {{.rank = 1, .element = NEREID_TENSOR_MAP_F64, .shape = {40}, .box = {32}, .nan_padding = true}, {-8}},
    {{.rank = 2,
      .element = NEREID_TENSOR_MAP_F16,
      .shape = {100, 30},
      .strides = {208},
      .box = {64, 16},
      .swizzle = 128},
     {64, 20}},
    {{.rank = 2, .element = NEREID_TENSOR_MAP_F32, .shape = {24, 12}, .strides = {96}, .box = {16, 8}, .swizzle = 64},
     {-4, -3}},
    {{.rank = 2,
      .element = NEREID_TENSOR_MAP_BF16,
      .shape = {33, 9},
      .strides = {80},
      .box = {16, 16},
      .swizzle = 32,
      .nan_padding = true},
     {24, 0}},
    {{.rank = 2, .element = NEREID_TENSOR_MAP_U16, .shape = {64, 8}, .strides = {128}, .box = {8, 8}, .swizzle = 128},
     {8, 2}},
    {{.rank = 3, .element = NEREID_TENSOR_MAP_U32, .shape = {20, 7, 5}, .strides = {80, 560}, .box = {8, 4, 3}},
     {12, 5, 3}},
    {{.rank = 3,
      .element = NEREID_TENSOR_MAP_S32,
      .shape = {20, 30, 5},
      .strides = {80, 2400},
      .box = {8, 8, 4},
      .steps = {1, 3, 2}},
     {4, 20, 0}},
    {{.rank = 4,
      .element = NEREID_TENSOR_MAP_U64,
      .shape = {6, 4, 3, 5},
      .strides = {48, 192, 576},
      .box = {4, 3, 2, 2}},
     {4, -1, 1, 4}},
    {{.rank = 5,
      .element = NEREID_TENSOR_MAP_U16,
      .shape = {12, 3, 4, 2, 5},
      .strides = {32, 96, 384, 768},
      .box = {8, 2, 2, 2, 2}},
     {8, 2, 3, 1, 3}},
    {{.rank = 2, .element = NEREID_TENSOR_MAP_F16, .shape = {64, 8}, .strides = {128}, .box = {64, 8}}, {64, 0}},
};
enum { CASES = sizeof cases / sizeof *cases };

static uint32_t element_of(const box_case_t *it) {
  return nereid_tensor_map_element_bits(it->map.element) / 8;
}

static uint32_t count_of(const box_case_t *it, uint32_t d) {
  uint32_t step = d && it->map.steps[d] ? it->map.steps[d] : 1;
  return d < it->map.rank ? (it->map.box[d] + step - 1) / step : 1;
}

static uint32_t bytes_of(const box_case_t *it) {
  uint32_t n = element_of(it);
  for (uint32_t d = 0; d < 5; ++d)
    n *= count_of(it, d);
  return n;
}

/* Calls `visit` with each element of the box: its address in the tensor, 0 when out of bounds, and in shared memory.
 * Writes are in units of 16 bytes; the last one of a row may exceed the tensor's row. */
static void each_element(const box_case_t *it, bool writes,
                         void (*visit)(const box_case_t *it, uint32_t global, uint32_t shared)) {
  uint32_t n = bytes_of(it) / element_of(it), bits = it->map.swizzle == 128 ? 3 : it->map.swizzle / 32;
  uint32_t row = count_of(it, 0), pitch = it->map.swizzle ? it->map.swizzle : row * element_of(it);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t left = i, shared = BOX_AT + i / row * pitch + i % row * element_of(it), global = TENSOR;
    bool inside = true;
    for (uint32_t d = 0; d < it->map.rank; ++d) {
      uint32_t step = d && it->map.steps[d] ? it->map.steps[d] : 1;
      int64_t at = it->at[d] + (int64_t)(left % count_of(it, d)) * step;
      left /= count_of(it, d);
      uint64_t extent = it->map.shape[d];
      if (writes && !d)
        extent = (extent * element_of(it) + 15) / 16 * 16 / element_of(it);
      inside &= at >= 0 && at < (int64_t)extent;
      global += (uint32_t)at * (uint32_t)(d ? it->map.strides[d - 1] : element_of(it));
    }
    for (uint32_t b = 0; b < bits; ++b) /* bit 4 + b is exchanged where bit 7 + b is set */
      shared ^= (shared >> (7 + b) & 1) << (4 + b);
    visit(it, inside ? global : 0, shared);
  }
}

static void reset(const box_case_t *it) {
  nereid_tensor_map_t map = it->map;
  for (uint32_t i = 0; i < SIZE; ++i)
    data[i] = (uint8_t)(i * 31 + (i >> 8) * 7);
  map.address = 4096; /* the kernel stores the actual one */
  nereid_tensor_map_write(&map, data);
}

/* "{c0, c1}" */
static const char *coordinates(const box_case_t *it) {
  static char list[100];
  size_t n = 0;
  for (uint32_t d = 0; d < it->map.rank; ++d)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", d ? ", " : "{", it->at[d]);
  snprintf(list + n, sizeof list - n, "}");
  return list;
}

/* The emulator clears shared memory, unlike a GPU. */
#define ZERO                                                                                                           \
  "mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 2; mov.u32 %r4, smem; add.u32 %r3, %r3, %r4; mov.u32 %r5, 0;\n"              \
  "add.u32 %r4, %r4, 16384; $Z: st.shared.b32 [%r3], %r5; add.u32 %r3, %r3, 256; setp.lt.u32 %p3, %r3, %r4;\n"         \
  "@%p3 bra $Z; fence.proxy.async.shared::cta; bar.sync 0;\n"
/* Stores the tensor's address to the map, initializes an mbarrier at offset 0 of shared memory. */
#define BEGIN                                                                                                          \
  ZERO "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; add.s64 %d8, %d9, 4096; mov.u32 %r2, smem;\n"                    \
       "@%p1 tensormap.replace.tile.global_address.global.b1024.b64 [%d9], %d8;\n"                                     \
       "@%p1 mbarrier.init.shared::cta.b64 [smem], 1; fence.mbarrier_init.release.cluster;\n"                          \
       "fence.proxy.tensormap::generic.release.gpu; bar.sync 0; fence.proxy.tensormap::generic.acquire.gpu [%d9], "    \
       "128;\n"
#define AWAIT "$W: mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0; @!%p2 bra $W;\n"
/* Copies all of shared memory after the mbarrier to OUT. */
#define DUMP                                                                                                           \
  "add.s64 %d7, %d9, 49152; mul.wide.u32 %d6, %r1, 4; add.s64 %d7, %d7, %d6; shl.b32 %r3, %r1, 2;\n"                   \
  "add.u32 %r3, %r3, %r2; add.u32 %r4, %r2, 16384; $D: ld.shared.b32 %r5, [%r3]; st.global.b32 [%d7], %r5;\n"          \
  "add.u32 %r3, %r3, 256; add.s64 %d7, %d7, 256; setp.lt.u32 %p3, %r3, %r4; @%p3 bra $D;\n"
/* Copies the data at OUT to shared memory from 1024 on. */
#define FILL                                                                                                           \
  "add.s64 %d7, %d9, 49152; mul.wide.u32 %d6, %r1, 4; add.s64 %d7, %d7, %d6; shl.b32 %r3, %r1, 2;\n"                   \
  "add.u32 %r3, %r3, %r2; add.u32 %r4, %r2, 16384; $F: ld.global.b32 %r5, [%d7+1024]; st.shared.b32 [%r3+1024], "      \
  "%r5;\n"                                                                                                             \
  "add.u32 %r3, %r3, 256; add.s64 %d7, %d7, 256; add.u32 %r6, %r3, 1024; setp.lt.u32 %p3, %r6, %r4; @%p3 bra $F;\n"    \
  "fence.proxy.async.shared::cta; bar.sync 0;\n"

/* Sets the body: `before`, the formatted text, `behind`, in this order. */
static void compose(const char *before, const char *behind, const char *format, ...) NEREID_PRINTF(3, 4);
static void compose(const char *before, const char *behind, const char *format, ...) {
  va_list arguments;
  size_t n = (size_t)snprintf(body, sizeof body, "%s", before);
  va_start(arguments, format);
  n += (size_t)vsnprintf(body + n, sizeof body - n, format, arguments);
  va_end(arguments);
  snprintf(body + n, sizeof body - n, "%s", behind);
}

static const char *kernel(void) {
  snprintf(text, sizeof text, "%s", emulate_kernel(body));
  return text;
}

static nereid_emulator_launch_t launch_of(unsigned how, uint32_t ctas) {
  return (nereid_emulator_launch_t){
      .grid = {ctas, 1, 1},
      .cluster = {ctas, 1, 1},
      .block = {64, 1, 1},
      .shared_bytes = SHARED,
      .seed = how,
      .schedule = (nereid_emulator_schedule_t)(how % 3),
      .landing = (nereid_emulator_landing_t)(how / 3 % 3),
      .proxy = how / 9 ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE,
  };
}

static void run(unsigned how, uint32_t ctas) {
  if (emulate_launch(kernel(), data, SIZE, launch_of(how, ctas), &report))
    fail_msg("schedule %u, landing %u: %s", how % 3, how / 3 % 3, report.message.text);
}

static void same(uint32_t from, uint32_t to, size_t which, unsigned how) {
  for (uint32_t i = from; i < to; ++i)
    if (data[i] != expected[i])
      fail_msg("case %zu, way %u: byte %u is 0x%02x, not 0x%02x", which, how, i, data[i], expected[i]);
}

static void expect_loaded(const box_case_t *it, uint32_t global, uint32_t shared) {
  uint8_t *to = expected + OUT + shared;
  for (uint32_t i = 0; i < element_of(it); ++i)
    to[i] = !it->map.nan_padding ? 0 : i % 2 ? 0x7f : 0xf7;
  if (global)
    memcpy(to, data + global, element_of(it));
}

static void boxes_are_loaded(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; ++i) {
    compose(BEGIN, AWAIT DUMP,
            "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], %u;\n"
            "@%%p1 cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%%r2+1024], [%%d9, %s], [%%r2];\n",
            bytes_of(&cases[i]), cases[i].map.rank, coordinates(&cases[i]));
    for (unsigned how = 0; how < 18; ++how) {
      reset(&cases[i]);
      memset(expected, 0, sizeof expected);
      each_element(&cases[i], false, expect_loaded);
      run(how, 1);
      same(OUT + BOX_AT, OUT + SHARED, i, how);
      assert_int_equal(report.counters.bulk_copies, 1);
      assert_int_equal(report.counters.bulk_bytes, bytes_of(&cases[i]));
    }
  }
}

static void expect_stored(const box_case_t *it, uint32_t global, uint32_t shared) {
  if (global)
    memcpy(expected + global, data + OUT + shared, element_of(it));
}

/* Stores start in bounds. */
static box_case_t inside(box_case_t it) {
  for (uint32_t d = 0; d < it.map.rank; ++d)
    it.at[d] = it.at[d] < 0 ? 0 : it.at[d];
  return it;
}

static void boxes_are_stored(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; ++i) {
    const box_case_t it = inside(cases[i]);
    compose(BEGIN FILL, "",
            "@%%p1 cp.async.bulk.tensor.%ud.global.shared::cta.bulk_group [%%d9, %s], [%%r2+1024];\n"
            "@%%p1 cp.async.bulk.commit_group; @%%p1 cp.async.bulk.wait_group.read 0; bar.sync 0;\n"
            "st.shared.b32 [%%r2+1024], %%r1; @%%p1 cp.async.bulk.wait_group 0;",
            it.map.rank, coordinates(&it));
    for (unsigned how = 0; how < 18; ++how) {
      reset(&it);
      memcpy(expected, data, sizeof expected);
      each_element(&it, true, expect_stored);
      run(how, 1);
      same(TENSOR, OUT, i, how);
    }
  }
}

static void expect_added(const box_case_t *it, uint32_t global, uint32_t shared) {
  uint64_t a = 0, b = 0;
  if (!global)
    return;
  memcpy(&a, data + global, element_of(it));
  memcpy(&b, data + OUT + shared, element_of(it));
  a += b;
  memcpy(expected + global, &a, element_of(it));
}

static void expect_least(const box_case_t *it, uint32_t global, uint32_t shared) {
  int32_t a, b;
  (void)it;
  if (!global)
    return;
  memcpy(&a, data + global, 4);
  memcpy(&b, data + OUT + shared, 4);
  a = b < a ? b : a;
  memcpy(expected + global, &a, 4);
}

static void boxes_are_reduced(void **state) {
  static const struct {
    const char *op;
    size_t which;
    void (*expect)(const box_case_t *it, uint32_t global, uint32_t shared);
  } rows[] = {{"add", 6, expect_added}, {"add", 8, expect_added}, {"min", 7, expect_least}};
  (void)state;
  for (size_t i = 0; i < 3; ++i) {
    const box_case_t it = inside(cases[rows[i].which]);
    compose(BEGIN FILL, "",
            "@%%p1 cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.tile.bulk_group [%%d9, %s], [%%r2+1024];\n"
            "@%%p1 cp.async.bulk.commit_group; @%%p1 cp.async.bulk.wait_group 0;",
            it.map.rank, rows[i].op, coordinates(&it));
    for (unsigned how = 0; how < 18; ++how) {
      reset(&it);
      memcpy(expected, data, sizeof expected);
      each_element(&it, true, rows[i].expect);
      run(how, 1);
      same(TENSOR, OUT, rows[i].which, how);
    }
  }
}

/* A 3 by 3 filter's window at offset (2, 0) over 2 images of 5 by 6 pixels of 8 channels, padded by one: ten pixels. */
static void windows_are_loaded(void **state) {
  static const box_case_t it = {{.rank = 4,
                                 .im2col = true,
                                 .element = NEREID_TENSOR_MAP_U16,
                                 .shape = {8, 6, 5, 2},
                                 .strides = {16, 96, 480},
                                 .box = {8, 10},
                                 .lower = {-1, -1},
                                 .upper = {-1, -1}},
                                {0}};
  (void)state;
  compose(BEGIN, AWAIT DUMP,
          "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 160; mov.b16 %%h1, 2; mov.b16 %%h2, 0;\n"
          "@%%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
          "[%%r2+1024], [%%d9, {0, 3, 3, 0}], [%%r2], {%%h1, %%h2};\n");
  for (unsigned how = 0; how < 18; ++how) {
    reset(&it);
    memset(expected, 0, sizeof expected);
    int w = 3, h = 3, n = 0; /* position of the filter's corner, from -1 to 4 and from -1 to 3 */
    for (int pixel = 0; pixel < 10; ++pixel) {
      bool inside = w + 2 >= 0 && w + 2 < 6 && h >= 0 && h < 5;
      if (inside)
        memcpy(expected + OUT + BOX_AT + pixel * 16, data + TENSOR + n * 480 + h * 96 + (w + 2) * 16, 16);
      w = w == 4 ? -1 : w + 1;
      h = w == -1 ? (h == 3 ? -1 : h + 1) : h;
      n += w == -1 && h == -1;
    }
    run(how, 1);
    same(OUT + BOX_AT, OUT + SHARED, 0, how);
  }
}

/* A tensor map that the kernel creates in shared memory, from zeros, and copies to global memory. */
static void maps_are_made(void **state) {
  static const box_case_t it = {{.rank = 2,
                                 .element = NEREID_TENSOR_MAP_F16,
                                 .shape = {64, 20},
                                 .strides = {128},
                                 .box = {64, 8},
                                 .swizzle = 128},
                                {0, 16}};
  static const char made[] = ZERO
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; add.s64 %d8, %d9, 4096; mov.u32 %r2, smem; mov.u64 %d6, 128;\n"
      "@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2+128], %d8; mov.u32 %r7, 64;\n"
      "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2+128], 1; mov.u32 %r8, 8;\n"
      "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2+128], 0, %r7;\n"
      "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2+128], 1, %r8; mov.u32 %r8, 20;\n"
      "@%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2+128], 0, %r7;\n"
      "@%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2+128], 1, %r8; mov.u32 %r8, 1;\n"
      "@%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2+128], 0, %d6;\n"
      "@%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2+128], 0, %r8;\n"
      "@%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2+128], 1, %r8;\n"
      "@%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2+128], 6;\n"
      "@%p1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r2+128], 0;\n"
      "@%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2+128], 3;\n"
      "@%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r2+128], 0; bar.sync 0;\n"
      "setp.lt.u32 %p4, %r1, 32;\n"
      "@%p4 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d9], [%r2+128], "
      "128;\n"
      "@%p4 fence.proxy.tensormap::generic.acquire.gpu [%d9], 128;\n"
      "@%p1 mbarrier.init.shared::cta.b64 [smem], 1; bar.sync 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 1024;\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2+1024], [%d9, {0, 16}], "
      "[%r2];\n";
  (void)state;
  compose(made, AWAIT DUMP, "%s", "");
  for (unsigned how = 0; how < 18; ++how) {
    reset(&it);
    memset(expected, 0, sizeof expected);
    each_element(&it, false, expect_loaded);
    run(how, 1);
    same(OUT + BOX_AT, OUT + SHARED, 0, how);
  }
}

#define RANK "mov.u32 %r10, %cluster_ctarank;\n"
#define MEET "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
/* A word of each thread to OUT, 256 bytes per CTA. */
#define PUT(register)                                                                                                  \
  "mul.wide.u32 %d6, %r10, 256; mul.wide.u32 %d7, %r1, 4; add.s64 %d6, %d6, %d7; add.s64 %d6, %d6, %d9;\n"             \
  "st.global.b32 [%d6+49152], " register ";\n"

/* CTA 0 loads once for both. */
static void copies_go_to_several(void **state) {
  (void)state;
  compose(
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, smem;\n" RANK
      "@%p1 mbarrier.init.shared::cta.b64 [smem], 1; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 256;\n"
      "fence.mbarrier_init.release.cluster;\n" MEET
      "setp.eq.and.u32 %p4, %r10, 0, %p1; mov.b16 %h1, 3; add.s64 %d8, %d9, 4096;\n"
      "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2+1024], [%d8], "
      "256, [%r2], %h1;\n" AWAIT
      "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; ld.shared.b32 %r5, [%r3+1024];\n" PUT("%r5") MEET,
      "", "%s", "");
  for (unsigned how = 0; how < 18; ++how) {
    reset(&cases[0]);
    memcpy(expected + OUT, data + TENSOR, 256);
    memcpy(expected + OUT + 256, data + TENSOR, 256);
    run(how, 2);
    same(OUT, OUT + 512, 0, how);
    assert_int_equal(report.counters.bulk_copies, 1);
  }
}

static void expect_in_both(const box_case_t *it, uint32_t global, uint32_t shared) {
  uint8_t *to = expected + OUT + shared - BOX_AT; /* 256 bytes of each CTA are stored */
  for (uint32_t i = 0; i < element_of(it) && shared < BOX_AT + 256; ++i)
    to[i] = to[i + 256] = global ? data[global + i] : !it->map.nan_padding ? 0 : i % 2 ? 0x7f : 0xf7;
}

/* One CTA loads a box for both, at the same offset and with an mbarrier of each. */
static void boxes_go_to_several(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; ++i) {
    compose(
        BEGIN RANK "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], ",
        AWAIT "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; ld.shared.b32 %r5, [%r3+1024];\n" PUT("%r5") MEET,
        "%u;\n" MEET "setp.eq.and.u32 %%p4, %%r10, 1, %%p1; mov.b16 %%h1, 3;\n"
        "@%%p4 cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%%r2+1024], [%%d9, %s], [%%r2], %%h1;\n",
        bytes_of(&cases[i]), cases[i].map.rank, coordinates(&cases[i]));
    for (unsigned how = 0; how < 18; ++how) {
      reset(&cases[i]);
      memset(expected, 0, sizeof expected);
      each_element(&cases[i], false, expect_in_both);
      run(how, 2);
      same(OUT, OUT + 512, i, how);
      assert_int_equal(report.counters.bulk_copies, 1);
    }
  }
}

/* Shared memory to that of the next CTA: bulk copy, bulk reduction, st.async and red.async, all counted by its
 * mbarrier. */
static void neighbours_get_copies(void **state) {
  (void)state;
  compose(
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, smem;\n" RANK
      "@%p1 mbarrier.init.shared::cta.b64 [smem], 1;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 1280;\n"
      "fence.mbarrier_init.release.cluster; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r10, 1000, "
      "%r1;\n"
      "st.shared.b32 [%r3+1024], %r4; st.shared.b32 [%r3+2304], %r1; fence.proxy.async.shared::cta;\n" MEET
      "xor.b32 %r5, %r10, 1; mapa.shared::cluster.u32 %r6, %r2, %r5; add.u32 %r7, %r6, 2048;\n"
      "add.u32 %r8, %r2, 1024; add.u32 %r9, %r6, 2304;\n"
      "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%r8], 256, [%r6];\n"
      "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r9], [%r8], 256, "
      "[%r6];\n"
      "sub.u32 %r11, %r3, %r2; add.u32 %r11, %r11, %r11; add.u32 %r11, %r11, %r6; mul.lo.u32 %r12, %r1, 5;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r11+4096], {%r12, %r10}, [%r6];\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+8192], %r1, [%r6];\n" AWAIT
      "sub.u32 %r11, %r11, %r6; add.u32 %r11, %r11, %r2; ld.shared.b32 %r5, [%r3+2048]; ld.shared.b32 %r7, "
      "[%r3+2304];\n"
      "ld.shared.v2.b32 {%r8, %r9}, [%r11+4096]; ld.shared.b32 %r11, [%r2+8192]; mad.lo.u32 %r5, %r7, 3, %r5;\n"
      "mad.lo.u32 %r5, %r8, 7, %r5; mad.lo.u32 %r5, %r9, 11, %r5; mad.lo.u32 %r5, %r11, 13, %r5;\n" PUT("%r5") MEET,
      "", "%s", "");
  for (unsigned how = 0; how < 18; ++how) {
    reset(&cases[0]);
    for (uint32_t i = 0; i < 128; ++i) {
      uint32_t other = i < 64 ? 1 : 0, thread = i % 64, sent = other * 1000 + thread;
      uint32_t word = sent + 3 * (sent + thread) + 7 * 5 * thread + 11 * other + 13 * 64 * 63 / 2;
      memcpy(expected + OUT + (size_t)i * 4, &word, 4);
    }
    run(how, 2);
    same(OUT, OUT + 512, 0, how);
  }
}

/* Global to shared memory and back to another address; f16 reductions. */
static void bulks_go_both_ways(void **state) {
  (void)state;
  compose(
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, smem; add.s64 %d8, %d9, 4096;\n"
      "@%p1 mbarrier.init.shared::cta.b64 [smem], 1; add.s64 %d7, %d9, 49152; bar.sync 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 512;\n"
      "@%p1 cp.async.bulk.prefetch.L2.global [%d8], 512;\n"
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+1024], [%d8], 512, [%r2];\n" AWAIT
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d7], [%r2+1024], 256; add.s64 %d7, %d7, 256;\n"
      "@%p1 cp.async.bulk.commit_group;\n"
      "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d7], [%r2+1280], 256;\n"
      "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 1; @%p1 cp.async.bulk.wait_group 0;",
      "", "%s", "");
  for (unsigned how = 0; how < 18; ++how) {
    reset(&cases[0]);
    for (uint32_t i = 0; i < 128; ++i) {
      static const uint16_t numbers[] = {0x3c00, 0x4000, 0x4200}; /* 1 + 2 = 3 */
      memcpy(data + TENSOR + 256 + (size_t)i * 2, &numbers[0], 2);
      memcpy(data + OUT + 256 + (size_t)i * 2, &numbers[1], 2);
      memcpy(expected + OUT + 256 + (size_t)i * 2, &numbers[2], 2);
    }
    memcpy(expected + OUT, data + TENSOR, 256);
    run(how, 1);
    same(OUT, OUT + 512, 0, how);
  }
}

/* Without the proxy fence the store reads the old bytes, when the async proxy sees writes at the fence only. */
static void proxies_see_what_was_fenced(void **state) {
  static const char *const fences[] = {"", "fence.proxy.async;"};
  (void)state;
  for (unsigned fenced = 0; fenced < 2; ++fenced) {
    compose("", "",
            "mov.u32 %%r1, %%tid.x; setp.eq.u32 %%p1, %%r1, 0; mov.u32 %%r2, smem; shl.b32 %%r3, %%r1, 2;\n"
            "add.u32 %%r3, %%r3, %%r2; add.u32 %%r4, %%r1, 1; add.s64 %%d7, %%d9, 49152; st.shared.b32 [%%r3], %%r4;\n"
            "%s bar.sync 0; @%%p1 cp.async.bulk.global.shared::cta.bulk_group [%%d7], [%%r2], 256;\n"
            "@%%p1 cp.async.bulk.commit_group; @%%p1 cp.async.bulk.wait_group 0;",
            fences[fenced]);
    for (unsigned how = 0; how < 18; ++how) {
      reset(&cases[0]);
      run(how, 1);
      for (uint32_t i = 0; i < 64; ++i) {
        uint32_t word;
        memcpy(&word, data + OUT + (size_t)i * 4, 4);
        assert_int_equal(word, how < 9 || fenced ? i + 1 : 0);
      }
    }
  }
}

static void expect(const box_case_t *it, const char *what, const char *sentence) {
  compose(BEGIN, what, "%s", "");
  reset(it);
  assert_int_equal(emulate_launch(kernel(), data, SIZE, launch_of(0, 1), &report), NEREID_ERROR_PROGRAM);
  if (!strstr(report.message.text, sentence))
    fail_msg("'%s' is not in '%s'", sentence, report.message.text);
}

#define LOAD_2D "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "

/* CTAs add to the same address in their order, for every number of host threads. */
static void sums_of_ctas_are_ordered(void **state) {
  (void)state;
  compose(
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, smem; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2;\n"
      "mov.u32 %r4, %ctaid.x; add.u32 %r4, %r4, 1; cvt.rn.f32.u32 %r5, %r4; div.rn.f32 %r5, 0f3F800000, %r5;\n"
      "st.shared.b32 [%r3], %r5; fence.proxy.async.shared::cta; bar.sync 0; add.s64 %d7, %d9, 49152;\n"
      "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d7], [%r2], 256;\n"
      "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;",
      "", "%s", "");
  for (uint32_t threads = 1; threads < 9; threads += 7) {
    float sum = 0, got[64];
    nereid_emulator_launch_t launch = launch_of(0, 100);
    launch.cluster[0] = 1;
    launch.threads = threads;
    memset(data, 0, sizeof data);
    for (uint32_t i = 1; i <= 100; ++i)
      sum += 1.0f / (float)i;
    if (emulate_launch(kernel(), data, SIZE, launch, &report))
      fail_msg("%s", report.message.text);
    memcpy(got, data + OUT, sizeof got);
    for (uint32_t i = 0; i < 64; ++i)
      assert_memory_equal(&got[i], &sum, sizeof sum);
  }
}

static void misuse_is_reported(void **state) {
  box_case_t it = cases[2];
  (void)state;
  expect(&it, LOAD_2D "[%r2+1024], [%d8, {0, 0}], [%r2];", "no valid tensor map at");
  expect(&it, LOAD_2D "[%r2+1040], [%d9, {0, 0}], [%r2];", "misaligned");
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {0, 0}], [%r2+8];", "no mbarrier is at shared address 0x8");
  expect(&it, LOAD_2D "[%r2+15360], [%d9, {0, 0}], [%r2];", "out of bounds");
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {4, 0}], [%r2];", "the innermost coordinate 4 is not a multiple of 16 bytes");
  expect(&it, "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d9, {0, -1}], [%r2+1024];",
         "a store must start inside the tensor, not at -1");
  expect(&it, "@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%d9, {0, 0}], [%r2+1024];",
         "element type does not support this reduction");
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {0}], [%r2];", "1 coordinates for a tensor of rank 2");
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {0, 0}], [%r2];\n" AWAIT, "deadlock");
  it.map.strides[0] = 200;
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {0, 0}], [%r2];", "stride of dimension 0 must be a multiple of 16");
  it.map.strides[0] = 1 << 20;
  expect(&it, LOAD_2D "[%r2+1024], [%d9, {0, 0}], [%r2];", "byte 1052672 of data");
  expect(&cases[6], LOAD_2D "[%r2+1024], [%d9, {0, 0}], [%r2];", "the tensor map has rank 3, the instruction 2");
  expect(&it, "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d8], [%r2], 24;",
         "the size must be a multiple of 16 bytes");
  expect(&it, "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d8+8], [%r2], 32;\n", "misaligned");
  expect(&it, "mov.u32 %r5, 9; @%p1 tensormap.replace.tile.element_stride.global.b1024.b32 [%d9], 0, %r5;", "field: 9");
  expect(&it, "mov.u32 %r5, 1; @%p1 tensormap.replace.tile.box_dim.global.b1024.b32 [%d9], 5, %r5;",
         "the tensor map has no dimension 5");
  expect(&it, "@%p1 tensormap.replace.tile.rank.global.b1024.b32 [%d8], 1;", "expected a tensor map or zeros");
  expect(&it,
         "cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes "
         "[%r2], [%d9, {0, 0, 0, 0, 0}], [%r2];",
         "is not emulated");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_loaded),
      cmocka_unit_test(boxes_are_stored),
      cmocka_unit_test(boxes_are_reduced),
      cmocka_unit_test(windows_are_loaded),
      cmocka_unit_test(maps_are_made),
      cmocka_unit_test(copies_go_to_several),
      cmocka_unit_test(boxes_go_to_several),
      cmocka_unit_test(neighbours_get_copies),
      cmocka_unit_test(bulks_go_both_ways),
      cmocka_unit_test(proxies_see_what_was_fenced),
      cmocka_unit_test(sums_of_ctas_are_ordered),
      cmocka_unit_test(misuse_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
