/* The race detector against the naive one on random programs of CTAs, clusters of two and warpgroups with wgmma: each
 * byte with a race is reported, and the naive detector confirms each reported pair. */
#include "test/emulator/emulate.h"
#include "test/emulator/race/both_detectors.h"

/* Programs. */
static uint64_t seed;
static char body[1 << 14];
static size_t used;
static int phases, barriers; /* of 16: one for each pair of arrive and sync */
static enum { PLAIN, CLUSTER, PRODUCTS, MAPS } kind;
static int threads; /* threads of a CTA */

static unsigned below(unsigned n) { /* splitmix64 */
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (unsigned)((z ^ (z >> 31)) % n);
}

static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(body + used, sizeof body - used, format, arguments);
  va_end(arguments);
  assert_true(used < sizeof body);
}

static const char *one_of(const char *const *words, unsigned n) {
  return words[below(n)];
}
#define ONE_OF(...) one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / 8)

/* Executing threads: one thread, a warp, a quarter of one, or all. */
static const char *guard(void) {
  return ONE_OF("", "", "@%p0 ", "@%p1 ", "@!%p1 ", "@%p4 ");
}

/* An address in shared memory: a thread's own word, an adjacent thread's, or one of a few common words. */
static const char *shared_place(void) {
  return ONE_OF("%r71", "%r71", "%r72", "%r73", "%r0", "%r0+4", "%r0+128", "%r0+256", "%r0+260");
}

static void say_access(void) {
  const char *who = guard(), *scope = ONE_OF(".cta", ".gpu");
  bool shared = below(4) != 0;
  const char *place = shared ? shared_place() : ONE_OF("%d9", "%d9+4", "%d9+64", "%d8"),
             *space = shared ? "shared" : "global";
  switch (below(8)) {
  case 0:
    say("%sld.relaxed%s.%s.b32 %%r2, [%s];\n", who, scope, space, place);
    return;
  case 1:
    say("%sst.relaxed%s.%s.b32 [%s], %%r70;\n", who, scope, space, place);
    return;
  case 2:
    say("%s%s%s.%s.add.u32 %%r2, [%s], 1;\n", who,
        ONE_OF("atom", "atom.relaxed", "atom.acquire", "atom.release", "atom.acq_rel"), scope, space, place);
    return;
  case 3:
    say("%sst.%s.b8 [%s], %s;\n", who, space, place, ONE_OF("%r70", "%r74"));
    return;
  case 4:
  case 5:
    say("%sst.%s.b32 [%s], %s;\n", who, space, place, ONE_OF("%r70", "%r74"));
    return;
  case 6:
    say("%sld.%s.b8 %%r2, [%s];\n", who, space, place);
    return;
  default:
    say("%sld.%s.b32 %%r2, [%s];\n", who, space, place);
  }
}

static void say_wait(void) {
  static int label;
  if (below(2))
    say_access();
  if (below(8) == 0)
    say("bar.sync 0;\n");
  say("$W%d: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r0+4096], %d; @!%%p2 bra $W%d;\n", label, phases++ & 1,
      label);
  label++;
}

/* All threads wait for the next phase, on which all threads, one thread or copies arrived. */
static void say_phase(void) {
  switch (below(4)) {
  case 0:
    say("mbarrier.arrive%s.shared.b64 %%d1, [%%r0+4096];\n", ONE_OF("", "", ".relaxed.cta"));
    break;
  case 1:
    say("cp.async.ca.shared.global [%%r71], [%%d9+256], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%%r0+4096];\n");
    break;
  case 2: /* in a commit group, too */
    say("cp.async.ca.shared.global [%%r71], [%%d9+256], 4;\n%scp.async.mbarrier.arrive.noinc.shared.b64 "
        "[%%r0+4096];\n%s",
        ONE_OF("", "cp.async.commit_group;\n"), ONE_OF("", "cp.async.wait_group 0;\n", "cp.async.wait_all;\n"));
    break;
  default:
    say("@!%%p0 mbarrier.arrive.shared.b64 %%d1, [%%r0+4096];\n"
        "@%%p0 mbarrier.arrive.expect_tx.shared.b64 %%d1, [%%r0+4096], 64;\n"
        "@%%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r0+%d], [%%d9+512], 64, "
        "[%%r0+4096];\n",
        (int)below(4) * 64);
  }
  say_wait();
}

/* A phase with arrivals of the other CTA: a relaxed cluster barrier first ensures that both completed their own phase.
 */
static void say_phase_of_both(void) {
  say("barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n");
  switch (below(3)) {
  case 0: /* thread 0 arrives at the other's */
    say("@!%%p0 mbarrier.arrive.shared.b64 %%d1, [%%r0+4096];\n"
        "@%%p0 mbarrier.arrive%s.shared::cluster.b64 _, [%%r76+4096];\n",
        ONE_OF(".release.cluster", ".relaxed.cluster"));
    break;
  case 1:
    say("@!%%p0 mbarrier.arrive.shared.b64 %%d1, [%%r0+4096];\n"
        "@%%p0 mbarrier.arrive.expect_tx.shared.b64 %%d1, [%%r0+4096], 4;\n"
        "@%%p0 %s [%%r76+%d], %%r70, [%%r76+4096];\n",
        ONE_OF("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32",
               "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"),
        (int)below(4) * 64);
    break;
  default:
    say("@!%%p0 mbarrier.arrive.shared.b64 %%d1, [%%r0+4096];\n"
        "@%%p0 mbarrier.arrive.expect_tx.shared.b64 %%d1, [%%r0+4096], 64;\n"
        "@%%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%%r0+%d], "
        "[%%d9+512], 64, [%%r0+4096], %%h1;\n",
        (int)below(4) * 64);
  }
  say_wait();
}

static void say_in_cluster(void) {
  const char *place = ONE_OF("%r75", "%r75", "%r76", "%r76+4", "%r76+128"), *who = guard();
  switch (below(8)) {
  case 0:
    say("barrier.cluster.arrive; barrier.cluster.wait;\n");
    return;
  case 1:
    say("barrier.cluster.arrive%s;\n", ONE_OF("", ".release", ".relaxed"));
    say_access();
    say("barrier.cluster.wait;\n");
    return;
  case 2:
  case 3:
    say_phase_of_both();
    return;
  case 4:
    say("%sst.shared::cluster.b32 [%s], %%r74;\n", who, place);
    return;
  case 5:
    say("%sld.shared::cluster.b32 %%r2, [%s];\n", who, place);
    return;
  case 6:
    say("%s%s.cluster.shared::cluster.add.u32 %%r2, [%s], 1;\n", who, ONE_OF("atom.relaxed", "atom.acq_rel"), place);
    return;
  default:
    say("%sfence.acq_rel.cluster;\n", who);
  }
}

/* A is at 0, 512 bytes for each warp, B is its first 256. */
static void say_product(void) {
  if (below(8))
    say("wgmma.fence.sync.aligned;\n");
  for (unsigned k = 1 + below(2); k; --k)
    say("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%r10,%%r11,%%r12,%%r13}, %%d7, %%d7, %%p6, 1, 1, 0, %d;\n",
        (int)below(2));
  if (below(4) == 0)
    say("%s\n", ONE_OF("add.u32 %r2, %r10, 1;", "mov.u32 %r11, 0;", "mov.u32 %r3, 0;"));
  if (below(8))
    say("wgmma.commit_group.sync.aligned;\n");
  if (below(2))
    say_access();
  if (below(4))
    say("wgmma.wait_group.sync.aligned %u;\n", below(4) == 0);
}

/* A tensor of 512 bytes at %d5, boxes of 64; its map is made at %r0+2048 and used at %d6. */
#define SET(field, value) "@%p0 tensormap.replace.tile." field ".shared::cta.b1024" value ";\n"
#define COPY_MAP                                                                                                       \
  "@%p1 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d6], [%r0+2048], "    \
  "128;\n"
static const char make_map[] =
    "add.s64 %d6, %d9, 2048; add.s64 %d5, %d9, 4096; mov.u32 %r3, 0; mov.u32 %r6, 64; mov.u32 %r7, 512; mov.u32 %r8, "
    "1;\n" SET("global_address", ".b64 [%r0+2048], %d5") SET("rank", ".b32 [%r0+2048], 0")
        SET("box_dim", ".b32 [%r0+2048], 0, %r6") SET("global_dim", ".b32 [%r0+2048], 0, %r7")
            SET("element_stride", ".b32 [%r0+2048], 0, %r8") SET("elemtype", ".b32 [%r0+2048], 0")
                SET("interleave_layout", ".b32 [%r0+2048], 0") SET("swizzle_mode", ".b32 [%r0+2048], 0")
                    SET("fill_mode", ".b32 [%r0+2048], 0") "bar.sync 0;\n" COPY_MAP;

static void say_with_map(void) {
  switch (below(8)) {
  case 0:
    say("%s", COPY_MAP);
    return;
  case 1:
    say("%stensormap.replace.tile.global_address.%s, %%d5;\n", ONE_OF("@%p0 ", "@%p4 "),
        ONE_OF("global.b1024.b64 [%d6]", "shared::cta.b1024.b64 [%r0+2048]"));
    return;
  case 2:
    say("%sfence.proxy.tensormap::generic.release.gpu;\n", ONE_OF("@%p0 ", ""));
    return;
  case 3:
  case 4:
    say("%sfence.proxy.tensormap::generic.acquire.gpu [%%d6], 128;\n", guard());
    return;
  case 5:
    say("@%%p0 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%%d6, {%%r3}], [%%r0+%d];\n@%%p0 "
        "cp.async.bulk.commit_group;\n%s",
        (int)below(2) * 128,
        ONE_OF("", "@%p0 cp.async.bulk.wait_group.read 0;\n", "@%p0 cp.async.bulk.wait_group 0;\n"));
    return;
  default:
    say("@!%%p0 mbarrier.arrive.shared.b64 %%d1, [%%r0+4096];\n"
        "@%%p0 mbarrier.arrive.expect_tx.shared.b64 %%d1, [%%r0+4096], 64;\n"
        "@%%p0 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r0+%d], "
        "[%%d6, {%%r3}], [%%r0+4096];\n",
        (int)below(2) * 128);
    say_wait();
  }
}

static void say_operation(void) {
  if (kind != PLAIN && below(3) == 0) {
    kind == CLUSTER ? say_in_cluster() : kind == MAPS ? say_with_map() : say_product();
    return;
  }
  switch (below(16)) {
  case 0:
    say("bar.sync 0;\n");
    return;
  case 1:
    say("@%%p1 bar.sync 1, 32; @!%%p1 bar.sync 2, %d;\n", threads - 32);
    return;
  case 2:
    if (below(2))
      say("@%%p1 bar.arrive %d, %d; @!%%p1 bar.sync %d, %d;\n", barriers, threads, barriers, threads);
    else
      say("@!%%p1 bar.arrive %d, %d; @%%p1 bar.sync %d, %d;\n", barriers, threads, barriers, threads);
    barriers++;
    return;
  case 3:
    say("%s\n", ONE_OF("bar.warp.sync -1;", "@%p1 bar.warp.sync -1;", "@%p4 bar.warp.sync 0xff;"));
    return;
  case 4:
    say("%s%s;\n", guard(),
        ONE_OF("fence.acq_rel.cta", "fence.acq_rel.gpu", "membar.gl", "fence.sc.gpu", "fence.sc.cta"));
    return;
  case 5:
    say("%scp.async.ca.shared.global [%s], [%%d9+256], 4;\n%s", guard(), ONE_OF("%r71", "%r72"),
        ONE_OF("", "cp.async.wait_all;\n", "cp.async.commit_group;\n",
               "cp.async.commit_group; cp.async.wait_group 0;\n"));
    return;
  case 6:
    say("%sfence.proxy.async%s;\n", ONE_OF("", "", "@%p1 "), ONE_OF("", ".shared::cta", ".global"));
    return;
  case 7:
    say("@%%p0 cp.async.bulk.global.shared::cta.bulk_group [%%d9+1024], [%%r0+%d], 64;\n@%%p0 "
        "cp.async.bulk.commit_group;\n%s",
        (int)below(4) * 64,
        ONE_OF("", "@%p0 cp.async.bulk.wait_group.read 0;\n", "@%p0 cp.async.bulk.wait_group 0;\n"));
    return;
  case 8:
    say_phase();
    return;
  default:
    say_access();
  }
}

static nereid_status_t run_program(const char *text, uint32_t ctas, nereid_emulator_report_t *report) {
  static uint64_t data[1 << 10];
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  uint64_t address = 0;
  memset(data, 0, sizeof data);
  nereid_status_t status = nereid_emulator_load(nereid_view(text), "t.ptx", &program, &report->message);
  if (status)
    return status;
  assert_int_equal(nereid_emulator_memory_create(&memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, data, sizeof data, 128, "data", &address), NEREID_OK);
  nereid_emulator_launch_t launch = {.grid = {ctas, 1, 1},
                                     .cluster = {kind == CLUSTER ? 2 : 1, 1, 1},
                                     .block = {(uint32_t)threads, 1, 1},
                                     .shared_bytes = 8192,
                                     .parameters = &address,
                                     .parameter_bytes = 8,
                                     .memory = memory,
                                     .schedule = (nereid_emulator_schedule_t)below(3),
                                     .landing = (nereid_emulator_landing_t)below(3),
                                     .seed = below(1000),
                                     .racecheck = true};
  status = nereid_emulator_run(nereid_emulator_kernel(program, "t"), &launch, report);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
  return status;
}

#define MEET "barrier.cluster.arrive; barrier.cluster.wait;\n"

static void random_programs_have_the_same_races(void **state) {
  static char text[1 << 15];
  const char *only = getenv("NEREID_RACE_SEED"), *most = getenv("NEREID_RACE_PROGRAMS");
  uint64_t first = only ? strtoull(only, NULL, 0) : 1, n = only ? 1 : most ? strtoull(most, NULL, 0) : 300, racy = 0;
  (void)state;
  for (uint64_t i = first; i < first + n; ++i) {
    nereid_emulator_report_t report = {0};
    seed = i * UINT64_C(0x51ed270b35ae2d);
    used = 0;
    phases = 0;
    barriers = 3;
    kind = i % 3 == 0 ? CLUSTER : i % 6 == 1 ? PRODUCTS : i % 6 == 2 ? MAPS : PLAIN;
    threads = kind == PRODUCTS ? 128 : 64;
    say("@%%p0 mbarrier.init.shared.b64 [%%r0+4096], %d;\n%s\n", threads,
        kind == CLUSTER ? "mapa.shared::cluster.u32 %r75, %r71, %r5; mapa.shared::cluster.u32 %r76, %r0, %r5;"
                        : "bar.sync 0;");
    /* a relaxed barrier does not order mbarrier.init before operations of the other CTA */
    say("%s", kind != CLUSTER ? "" : ONE_OF(MEET, MEET, "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"));
    say("%s", kind == MAPS ? make_map : "");
    for (unsigned k = 3 + below(10); k; --k)
      say_operation();
    say("%s", kind == CLUSTER ? MEET : "");
    snprintf(text, sizeof text,
             ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
             ".visible .entry t(.param .u64 t_0)\n{\n.reg .pred %%p<8>;\n.reg .b16 %%h<2>;\n.reg .b32 %%r<80>;\n"
             ".reg .b64 %%d<10>;\n"
             "ld.param.b64 %%d9, [t_0]; mov.u32 %%r70, %%tid.x; mov.u32 %%r0, smem; mad.lo.u32 %%r71, %%r70, 4, %%r0;\n"
             "xor.b32 %%r1, %%r70, 32; mad.lo.u32 %%r72, %%r1, 4, %%r0; xor.b32 %%r1, %%r70, 1;\n"
             "mad.lo.u32 %%r73, %%r1, 4, %%r0; setp.eq.u32 %%p0, %%r70, 0; setp.lt.u32 %%p1, %%r70, 32;\n"
             "setp.lt.u32 %%p4, %%r70, 8; mov.u32 %%r74, 7; mad.wide.u32 %%d8, %%r70, 4, %%d9;\n"
             "mov.u32 %%r5, %%cluster_ctarank; mad.lo.u32 %%r4, %%r5, 64, %%r70; setp.eq.u32 %%p5, %%r4, 0;\n"
             "xor.b32 %%r5, %%r5, 1; mov.u16 %%h1, 3; mov.b64 %%d7, 0x1000080000; setp.eq.u32 %%p6, %%r0, %%r0;\n"
             "mov.u32 %%r10, 0; mov.u32 %%r11, 0; mov.u32 %%r12, 0; mov.u32 %%r13, 0;\n%s\nret;\n}\n",
             body);
    if (run_program(text, kind == CLUSTER ? 2 + 2 * below(2) : 1 + below(2), &report))
      fail_msg("seed %llu: %s\n%s", (unsigned long long)i, report.message.text, body);
    racy += naive.pairs.size != 0;
    if (both.disagreements)
      fail_msg("seed %llu: %s", (unsigned long long)i, fputs(body, stderr) < 0 ? "" : "its body is above");
  }
  assert_true(only || (racy > n / 4 && racy < n)); /* some have none */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_have_the_same_races)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
