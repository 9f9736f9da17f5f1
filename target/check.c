/* Checks LLVM IR against the target, before LLVM fails to select an instruction.
 *
 *   call void @llvm.nvvm.cp.async.bulk.commit.group()     on sm_80:  kernel.ll:12:3: error: … needs sm_90 or later
 *
 * For these LLVM 22 ends the process or prints a message without a location. A row of the table gives the first
 * target that has an intrinsic (PTX ISA, "Target ISA Notes" of its instruction); an intrinsic without a row exists on
 * all supported targets. target/recover.c catches the remaining failures with a less specific message. */
#include "target/prepare.h"

#include "base/target_facts.h"
#include "seam/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdlib.h>

#define BEYOND 100 /* a target after those of Nereid */

typedef struct need {
  const char *prefix;   /* prefix of the intrinsic's name */
  const char *part;     /* which it also contains; null: anything */
  unsigned capability;  /* the first that has it */
  bool architecture;    /* only the architecture's own target, sm_90a */
  unsigned ptx_version; /* the first with its syntax; 0: irrelevant */
} need_t;

/* The first matching row applies. */
static const need_t needs[] = {
    {"llvm.nvvm.clusterlaunchcontrol", NULL, BEYOND, false, 0},
    {"llvm.nvvm.tcgen05.", NULL, BEYOND, false, 0},
    {"llvm.nvvm.st.bulk", NULL, BEYOND, false, 0},
    {"llvm.nvvm.redux.sync.f", NULL, BEYOND, false, 0},
    {"llvm.nvvm.", "e2m1", BEYOND, false, 0},
    {"llvm.nvvm.", "e2m3", BEYOND, false, 0},
    {"llvm.nvvm.", "e3m2", BEYOND, false, 0},
    {"llvm.nvvm.", "ue8m0", BEYOND, false, 0},
    {"llvm.nvvm.mma.block.scale", NULL, BEYOND, false, 0},
    {"llvm.nvvm.mma.sp.block.scale", NULL, BEYOND, false, 0},
    {"llvm.nvvm.", "f32x4", BEYOND, false, 0},
    {"llvm.nvvm.ldmatrix", ".b8", BEYOND, false, 0},
    {"llvm.nvvm.stmatrix", ".b8", BEYOND, false, 0},
    {"llvm.nvvm.wgmma.", NULL, NEREID_SM_90, true, 80},
    {"llvm.nvvm.setmaxnreg.", NULL, NEREID_SM_90, true, 80},
    {"llvm.nvvm.tensormap.replace.", NULL, NEREID_SM_90, true, 83},
    {"llvm.nvvm.cp.async.bulk.", NULL, NEREID_SM_90, false, 80},
    {"llvm.nvvm.barrier.cluster.", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.mapa", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.getctarank", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.isspacep.shared.cluster", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.is_explicit_cluster", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.read.ptx.sreg.cluster", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.read.ptx.sreg.nclusterid", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.fence.sc.cluster", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.fence.acquire.sync_restrict", NULL, NEREID_SM_90, false, 86},
    {"llvm.nvvm.fence.release.sync_restrict", NULL, NEREID_SM_90, false, 86},
    {"llvm.nvvm.fence.mbarrier_init", NULL, NEREID_SM_90, false, 80},
    {"llvm.nvvm.fence.proxy.async", NULL, NEREID_SM_90, false, 80},
    {"llvm.nvvm.fence.proxy.tensormap", NULL, NEREID_SM_90, false, 83},
    {"llvm.nvvm.prefetch.tensormap", NULL, NEREID_SM_90, false, 80},
    {"llvm.nvvm.griddepcontrol.", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.elect.sync", NULL, NEREID_SM_90, false, 80},
    {"llvm.nvvm.stmatrix", NULL, NEREID_SM_90, false, 78},
    {"llvm.nvvm.mma.", "e4m3", NEREID_SM_89, false, 84},
    {"llvm.nvvm.mma.", "e5m2", NEREID_SM_89, false, 84},
    {"llvm.nvvm.", "e4m3", NEREID_SM_89, false, 81},
    {"llvm.nvvm.", "e5m2", NEREID_SM_89, false, 81},
};

/* Prefixes of intrinsics for other targets. */
static const char *const foreign[] = {
    "llvm.aarch64.",   "llvm.amdgcn.", "llvm.arm.",  "llvm.bpf.",  "llvm.dx.",    "llvm.hexagon.",
    "llvm.loongarch.", "llvm.mips.",   "llvm.ppc.",  "llvm.r600.", "llvm.riscv.", "llvm.s390.",
    "llvm.spv.",       "llvm.ve.",     "llvm.wasm.", "llvm.x86.",  "llvm.xcore.",
};

/* Functions of CUDA's device runtime, available to every program. */
static const char *const provided[] = {"vprintf", "malloc", "free", "__assertfail", "__nvvm_reflect"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct check {
  nereid_backend_t *backend;
  const nereid_target_t *target;
  const nereid_backend_input_t *input;
  LLVMModuleRef module;
  unsigned errors;
} check_t;

static void complain(check_t *check, LLVMValueRef at, const char *word, const char *what) {
  check->errors++;
  nereid_target_complain(check->backend, check->module, check->input, at, word, what);
}

static void check_need(check_t *check, LLVMValueRef call, const char *name, const need_t *need) {
  const nereid_target_t *target = check->target;
  nereid_arena_t *scratch = check->input->scratch;
  const char *word = nereid_arena_format(scratch, "@%s(", name), *what = NULL;
  if (need->capability >= BEYOND)
    what = nereid_arena_format(scratch, "'%s' needs a later architecture than %s and than all targets of Nereid", name,
                               target->name);
  else if (target->capability < need->capability || (need->architecture && !target->architecture_only))
    what = nereid_arena_format(scratch, "'%s' needs sm_%u%s%s, the target is %s", name, need->capability,
                               need->architecture ? "a" : "", need->architecture ? "" : " or later", target->name);
  else if (target->ptx_version < need->ptx_version)
    what = nereid_arena_format(scratch, "'%s' needs PTX %u.%u, the PTX version is %u.%u", name, need->ptx_version / 10,
                               need->ptx_version % 10, target->ptx_version / 10, target->ptx_version % 10);
  else
    return;
  complain(check, call, word ? word : "", what);
}

static void check_intrinsic(check_t *check, LLVMValueRef call, const char *name) {
  for (size_t i = 0; i < COUNT(needs); i++)
    if (strncmp(name, needs[i].prefix, strlen(needs[i].prefix)) == 0 &&
        (!needs[i].part || strstr(name, needs[i].part))) {
      check_need(check, call, name, &needs[i]);
      return;
    }
  for (size_t i = 0; i < COUNT(foreign); i++)
    if (strncmp(name, foreign[i], strlen(foreign[i])) == 0)
      complain(check, call, nereid_arena_format(check->input->scratch, "@%s(", name),
               nereid_arena_format(check->input->scratch,
                                   "'%s' is an intrinsic of another architecture; the target is %s", name,
                                   check->target->name));
}

/* The text of inline asm as in the input: quoted; where characters are escaped, its constraints instead. */
static const char *asm_word(check_t *check, LLVMValueRef inline_asm) {
  nereid_view_t text, constraints;
  text.data = LLVMGetInlineAsmAsmString(inline_asm, &text.size);
  constraints.data = LLVMGetInlineAsmConstraintString(inline_asm, &constraints.size);
  bool escaped = false;
  for (size_t i = 0; i < text.size; ++i)
    escaped |= text.data[i] < ' ' || text.data[i] > '~' || text.data[i] == '"' || text.data[i] == '\\';
  const nereid_view_t word = escaped ? constraints : text;
  const char *quoted = nereid_arena_format(check->input->scratch, "\"%.*s\"", (int)word.size, word.data);
  return quoted ? quoted : "";
}

/* Operands of inline asm: its constraints but the clobbers, ~{memory}. */
static unsigned long count_operands(nereid_view_t constraints) {
  unsigned long count = 0;
  for (size_t i = 0; i < constraints.size; ++i)
    count += (i == 0 || constraints.data[i - 1] == ',') && constraints.data[i] != '~';
  return count;
}

/* Skips one use of an operand after its dollar: "0", "{0}", "{0:r}"; "$", and the special texts "{:uid}". Null when
 * LLVM does not read it: its code generator aborts, or reports the whole text without a location. */
static const char *skip_operand(const char *at, unsigned long n_operands) {
  const bool braces = *at == '{';
  char *end;
  at += braces;
  if (!braces && *at && strchr("$(|)", *at))
    return at + 1;
  if (braces && *at == ':') {
    const char *stop = strchr(at, '}');
    return stop ? stop + 1 : NULL;
  }
  if (*at < '0' || *at > '9' || strtoul(at, &end, 10) >= n_operands)
    return NULL;
  if (braces && *end == ':')
    end += end[1] && strchr("racns", end[1]) ? 2 : 0;
  if (braces && *end != '}')
    return NULL;
  return end + braces;
}

/* Reports a use of an operand that the constraints do not define. */
static void check_asm_text(check_t *check, LLVMValueRef call, LLVMValueRef inline_asm) {
  nereid_view_t constraints;
  size_t size;
  constraints.data = LLVMGetInlineAsmConstraintString(inline_asm, &constraints.size);
  const char *text = LLVMGetInlineAsmAsmString(inline_asm, &size);
  const unsigned long n_operands = count_operands(constraints);
  for (const char *at = strchr(text, '$'); at; at = strchr(at, '$')) {
    const char *next = skip_operand(at + 1, n_operands);
    if (!next) {
      complain(
          check, call, asm_word(check, inline_asm),
          nereid_arena_format(check->input->scratch,
                              "inline asm with '%.8s': expected $$, or $N or ${N} of one of its %lu operands, from 0",
                              at, n_operands));
      return;
    }
    at = next;
  }
}

static void check_inline_asm(check_t *check, LLVMValueRef call, LLVMValueRef inline_asm) {
  size_t size;
  char *why = nereidLlvmInlineAsmVerify(inline_asm);
  const char *constraints = LLVMGetInlineAsmConstraintString(inline_asm, &size);
  if (!why) {
    check_asm_text(check, call, inline_asm);
    return;
  }
  complain(check, call, asm_word(check, inline_asm),
           nereid_arena_format(check->input->scratch, "inline asm with the constraints \"%.*s\": %s", (int)size,
                               constraints, why));
  LLVMDisposeMessage(why);
}

static void check_call(check_t *check, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  nereid_view_t name;
  if (callee && LLVMIsAInlineAsm(callee))
    check_inline_asm(check, call, callee);
  if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
    return;
  name.data = LLVMGetValueName2(callee, &name.size);
  if (LLVMGetIntrinsicID(callee) || nereid_view_starts_with(name, nereid_view("llvm."))) {
    check_intrinsic(check, call, name.data);
    return;
  }
  bool known = nereid_target_is_libdevice_name(name);
  for (size_t i = 0; i < COUNT(provided); i++)
    known |= nereid_view_equal(name, nereid_view(provided[i]));
  if (!known)
    complain(check, call, nereid_arena_format(check->input->scratch, "@%s(", name.data),
             nereid_arena_format(check->input->scratch, "call to '%s', which is not defined", name.data));
}

/* 128-bit atomics: PTX ISA, atom.b128. */
static void check_atomic(check_t *check, LLVMValueRef at, LLVMOpcode opcode) {
  const nereid_target_t *target = check->target;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(at, opcode == LLVMAtomicCmpXchg ? 2 : 1));
  unsigned long long bits = LLVMSizeOfTypeInBits(check->backend->layout, type);
  const char *word = opcode == LLVMAtomicCmpXchg ? "cmpxchg" : "atomicrmw";
  if (bits <= 64 ||
      (bits == 128 && nereid_target_has_128_bit_atomics((int)target->capability, (int)target->ptx_version)))
    return;
  complain(check, at, word,
           nereid_arena_format(check->input->scratch, "a %llu-bit '%s' %s", bits, word,
                               bits == 128 ? "needs sm_90 or later and PTX 8.4" : "exists on no target"));
}

static void check_instruction(check_t *check, LLVMValueRef at) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
  switch (opcode) {
  case LLVMCall:
    check_call(check, at);
    break;
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
    check_atomic(check, at, opcode);
    break;
  case LLVMInvoke:
  case LLVMLandingPad:
  case LLVMResume:
    complain(check, at,
             opcode == LLVMInvoke   ? "invoke"
             : opcode == LLVMResume ? "resume"
                                    : "landingpad",
             "exceptions do not exist on a GPU");
    break;
  default:
    break;
  }
}

nereid_status_t nereid_target_check(nereid_backend_t *backend, LLVMModuleRef module, const nereid_target_t *target,
                                    const nereid_backend_input_t *input) {
  check_t check = {.backend = backend, .target = target, .input = input, .module = module};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        check_instruction(&check, i);
  return check.errors ? NEREID_ERROR_PROGRAM : NEREID_OK;
}
