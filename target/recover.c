/* Recovers from fatal errors of LLVM:
 *
 *   nereid_recover_run ── setjmp ── body ── … LLVM … ── report_fatal_error ── handler ── longjmp ──┐
 *          ▲───────────────────────────── NEREID_ERROR_INTERNAL, the reason ─────────────────────────┘
 *
 * The handler is process-wide in LLVM (of which this library has its own static copy), so it uses a thread-local
 * pointer to the innermost recovery. Errors that LLVM reports through a context (an unsupported cmpxchg) do not reach
 * it: every context has a diagnostic handler, with which LLVM does not exit. */
#include "target/recover.h"

#include "seam/llvm.h"

#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

typedef struct recovery {
  struct recovery *outer;
  char *message;
  size_t message_size;
  jmp_buf home;
} recovery_t;

static _Thread_local recovery_t *innermost;

/* Returning makes LLVM print and end the process, as without a handler. Only code outside of a recovery, none of which
 * is in the library, reaches this. */
static void on_fatal_error(const char *reason) {
  recovery_t *here = innermost;
  if (!here)
    return;
  snprintf(here->message, here->message_size, "%s", reason ? reason : "no reason given");
  longjmp(here->home, 1);
}

/* All options of LLVM that have no API.
 *   nvptx-short-ptr            pointers to shared, constant and local memory have 32 bits, which halves the registers
 * of shared-memory addresses
 *   enable-nontrivial-unswitch on: a loop whose loads have a loop-invariant mask is duplicated, with and without the
 *   mask.
 * LLVM does not unswitch on divergent branches by default; masks are usually uniform in a CTA, loops with barriers and
 * shuffles are not duplicated, and the assembler unrolls only loads without a predicate.
 *   nvptx-mad-wide-opt         on: mad.wide for the address of an element, which the assembler turns into LEA with a
 * base in uniform registers; from a product and a sum it makes IMAD.WIDE, and loads the base into registers of each
 * thread.
 *   disable-machine-sink       on: sinking moves loads past branches and loops to their first use, which then waits for
 * them. The assembler places other instructions by itself.
 *   disable-auto-upgrade-debug-info  on: the upgrade verifies a module with debug information while it is read, and
 * prints and aborts if it is invalid. nereid_backend_parse verifies each module itself. */
static const char *const options[] = {"nereid",
                                      "-nvptx-short-ptr",
                                      "-enable-nontrivial-unswitch",
                                      "-nvptx-mad-wide-opt",
                                      "-disable-machine-sink",
                                      "-disable-auto-upgrade-debug-info"};

static void initialize(void) {
  LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, "");
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInstallFatalErrorHandler(on_fatal_error);
}

void nereid_target_initialize(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize);
}

nereid_status_t nereid_recover_run(nereid_status_t (*body)(void *argument), void *argument, char *message,
                                   size_t message_size) {
  recovery_t here = {.outer = innermost, .message = message, .message_size = message_size};
  volatile nereid_status_t status = NEREID_ERROR_INTERNAL;
  const void *const doing = nereidLlvmSavePrettyStackState();
  nereid_target_initialize();
  if (setjmp(here.home) == 0) {
    innermost = &here;
    status = body(argument);
  } else {
    nereidLlvmRestorePrettyStackState(doing);
  }
  innermost = here.outer;
  return status;
}
