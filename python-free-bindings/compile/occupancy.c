/* Assembles a kernel for fewer resident CTAs per multiprocessor when it spills, and for more when it exceeds their
 * registers by a few.
 *
 *   .minnctapersm 4           →   .minnctapersm 3     128 registers and spills
 *   16 warps, 54 registers    →   .minnctapersm 3     40 registers instead of 54, three CTAs instead of two
 *
 * convert-triton-gpu-to-llvm asks ptxas for as many CTAs as fit in shared memory if it expects the kernel to fit in the
 * registers that each thread then has (conversion/ttg_to_llvm/function/occupancy.c). That is an estimate.
 *
 * Without .minnctapersm, ptxas ignores occupancy. Where only registers limit it, the kernel is assembled a second time
 * with the directive, and that result is used if at most NEREID_MINOR_SPILLS bytes are spilled: kernels of linear
 * attention with 128 to 1,024 threads take 0.65 to 0.96 of the time on an H200, a causal convolution in CTAs of 32
 * warps 0.70. */
#include "session.h"

#include "base/target_facts.h"

#include <string.h>

/* A message of the assembler, in the scratch arena. */
typedef struct message {
  nereid_report_level_t level;
  const char *file; /* may be null */
  unsigned line, column;
  const char *text;
} message_t;

typedef struct messages {
  nereid_arena_t *arena;
  NEREID_VECTOR(message_t) list;
  bool lacks_registers; /* wgmma instructions are serialized for that reason */
} messages_t;

static void collect(void *user_data, nereid_report_level_t level, const char *file, unsigned line, unsigned column,
                    const char *text) {
  messages_t *messages = user_data;
  const message_t message = {level, file ? nereid_arena_copy(messages->arena, nereid_view(file)) : NULL, line, column,
                             nereid_arena_copy(messages->arena, nereid_view(text))};
  messages->lacks_registers |= strstr(text, "insufficient register") != NULL;
  nereid_vector_push(messages->arena, &messages->list, message);
}

static void pass_on(const messages_t *messages, const nereid_report_t *report) {
  for (size_t i = 0; i < messages->list.size; ++i) {
    const message_t *message = &messages->list.data[i];
    nereid_report_at(report, message->level, message->file, message->line, message->column, "%s",
                     message->text ? message->text : "");
  }
}

/* Copies PTX that Nereid wrote, with one CTA less in each .minnctapersm of 2 or more. False if there is none. */
static bool reduce(nereid_view_t ptx, nereid_arena_t *arena, nereid_view_t *out_ptx) {
  static const char directive[] = "\n.minnctapersm ", origin[] = "// " NEREID_METADATA_KEY ": ";
  char *text = nereid_arena_copy(arena, ptx);
  bool reduced = false;
  if (!text || !strstr(text, origin)) /* PTX that the user wrote stays as it is */
    return false;
  for (char *at = text; (at = strstr(at, directive)); ++at) {
    char *digit = at + sizeof directive - 1;
    if (digit[0] < '2' || digit[0] > '9' || digit[1] != '\n')
      continue;
    --*digit;
    reduced = true;
  }
  *out_ptx = nereid_view_of(text, ptx.size);
  return reduced;
}

/* --- more CTAs --- */

enum {
  TEMPORARIES = 6,  /* registers per thread besides tensors, at least */
  LEAST_GAIN = 120, /* warps that then fit, in percent of those before */
};

/* The registers per thread with which kernels rarely spill, in percent of those that they use without a bound. Of 738
 * kernels of flash-linear-attention and other libraries, 115 execute a third more CTAs with 62 percent or more. With
 * the share given here or more, 18 of 20 of one or two warps fit, 16 of 23 of four, and 12 of 12 of eight; with less,
 * 3 of 15, 14 of 34, and none of 11. */
static int64_t least_share(int64_t warps) {
  return warps >= 16 ? 70 : warps >= 8 ? 74 : warps >= 4 ? 82 : 70;
}

/* CTAs per multiprocessor that fit by their shared memory and warps. */
static int64_t ctas_without_registers(const nereid_compilation_t *compilation) {
  const nereid_metadata_t *metadata = &compilation->metadata;
  const int capability = (int)compilation->settings.target.capability;
  const int64_t by_memory = nereid_target_ctas(capability, (int64_t)metadata->shared);
  const int64_t by_warps = nereid_target_warps(capability) / metadata->num_warps;
  return by_memory < by_warps ? by_memory : by_warps;
}

/* The CTAs that are resident with somewhat fewer registers per thread than `used`; 0 if the gain is too small, or if
 * tensors need the registers. */
static int64_t more_ctas(const nereid_compilation_t *compilation, int64_t used) {
  const nereid_metadata_t *metadata = &compilation->metadata;
  const int64_t most = ctas_without_registers(compilation), warps = metadata->num_warps;
  const int64_t ctas = nereid_target_ctas_by_registers(used, warps);
  const int64_t tensors = metadata->tensor_registers + TEMPORARIES;
  const int64_t least = used * least_share(warps) / 100;
  if (!metadata->tensor_registers || metadata->total_num_warps != warps || metadata->maxnreg)
    return 0;
  for (int64_t registers = (used - 1) / NEREID_TARGET_REGISTER_UNIT * NEREID_TARGET_REGISTER_UNIT;
       registers >= tensors && registers >= least; registers -= NEREID_TARGET_REGISTER_UNIT) {
    const int64_t fit = nereid_target_ctas_by_registers(registers, warps), more = fit < most ? fit : most;
    if (more * 100 >= ctas * LEAST_GAIN)
      return more;
  }
  return 0;
}

/* Copies PTX with `ctas` as the .minnctapersm of its only kernel. False if there are several kernels. */
static bool request(nereid_view_t ptx, int64_t ctas, nereid_arena_t *arena, nereid_view_t *out_ptx) {
  static const char threads[] = "\n.reqntid ", bound[] = "\n.minnctapersm ";
  const char *kernel = strstr(ptx.data, threads), *asked = kernel ? strstr(kernel, bound) : NULL;
  if (!kernel || strstr(kernel + 1, threads))
    return false;
  const char *end = strchr(kernel + 1, '\n'), *rest = asked ? strchr(asked + 1, '\n') : end;
  if (!end || !rest || (asked && asked != end))
    return false;
  *out_ptx = nereid_view(
      nereid_arena_format(arena, "%.*s%s%lld%s", (int)(end - ptx.data), ptx.data, bound, (long long)ctas, rest));
  return !arena->failed;
}

/* Assembles the kernel for more CTAs; replaces `assembled` if it fits in the registers. */
static void assemble_for_more(nereid_compilation_t *compilation, nereid_view_t ptx,
                              const nereid_assemble_options_t *options, nereid_assembled_t *assembled) {
  const int64_t ctas = more_ctas(compilation, assembled->registers);
  messages_t messages = {.arena = &compilation->scratch};
  const nereid_report_t collecting = {collect, &messages};
  nereid_assembled_t more;
  if (!ctas || !request(ptx, ctas, &compilation->scratch, &ptx) ||
      nereid_assemble(ptx, options, &collecting, &compilation->result->arena, &more) != NEREID_OK)
    return;
  if (more.spill_stores <= NEREID_MINOR_SPILLS && !messages.lacks_registers)
    *assembled = more;
}

/* --- the kernel --- */

nereid_status_t nereid_assemble_within_registers(nereid_compilation_t *compilation,
                                                 const nereid_assemble_options_t *options,
                                                 nereid_assembled_t *out_assembled) {
  messages_t messages = {.arena = &compilation->scratch};
  const nereid_report_t collecting = {collect, &messages};
  nereid_view_t ptx = compilation->ptx;
  nereid_status_t status;
  bool reduced = false;
  do {
    messages.list.size = 0;
    messages.lacks_registers = false;
    status = nereid_assemble(ptx, options, &collecting, &compilation->result->arena, out_assembled);
  } while (status == NEREID_OK && (out_assembled->spill_stores > NEREID_MINOR_SPILLS || messages.lacks_registers) &&
           (reduced = reduce(ptx, &compilation->scratch, &ptx)));
  if (status == NEREID_OK && !reduced && !out_assembled->spill_stores && !messages.lacks_registers)
    assemble_for_more(compilation, ptx, options, out_assembled);
  pass_on(&messages, &compilation->compiler->report);
  return messages.arena->failed && status == NEREID_OK ? NEREID_ERROR_MEMORY : status;
}
