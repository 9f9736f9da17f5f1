/* Moves copies of registers after the wait for the wgmma that writes them.
 *
 *   mov.b32 %r1, %r2;                        // begin inline asm
 *   // begin inline asm                      wgmma.wait_group.sync.aligned 0;
 *   wgmma.wait_group.sync.aligned 0;    →    // end inline asm
 *   // end inline asm                        mov.b32 %r1, %r2;
 *
 * The results of dots are tied operands of the inline asm of a wait, so that no use moves before it. Where LLVM cannot
 * assign one register to operand and result, it copies the operand directly before the inline asm: from a register that
 * wgmma may still write, for which ptxas serializes all wgmma of the function (its note C7514). Loops that exchange the
 * results of several dots between iterations have such copies. The text of the inline asm has no registers, so a copy
 * can follow it. */
#include "target/ptx/wait_copies.h"

#include <stdbool.h>
#include <string.h>

static bool starts_with(const char *line, const char *end, const char *prefix) {
  const size_t size = strlen(prefix);
  return (size_t)(end - line) >= size && !memcmp(line, prefix, size);
}

/* The line before the one at `line`; `line` itself at the beginning of `ptx`. */
static char *line_before(char *ptx, char *line) {
  char *before = line;
  if (before > ptx)
    --before; /* its newline */
  while (before > ptx && before[-1] != '\n')
    --before;
  return before;
}

/* The first of the lines before `line` that all start with `prefix`. */
static char *first_of_run(char *ptx, char *line, const char *prefix) {
  for (char *before = line_before(ptx, line); before < line && starts_with(before, line, prefix);
       before = line_before(ptx, before))
    line = before;
  return line;
}

/* Exchanges the texts from `first` to `middle` and from `middle` to `end`, the second of which is short. */
static void exchange(char *first, char *middle, const char *end) {
  char second[256];
  const size_t size = (size_t)(end - middle);
  if (size > sizeof second)
    return;
  memcpy(second, middle, size);
  memmove(first + size, first, (size_t)(middle - first));
  memcpy(first, second, size);
}

void nereid_target_copy_after_waits(char *ptx, size_t size) {
  static const char begin[] = "\t// begin inline asm\n\twgmma.wait_group.sync.aligned ",
                    finish[] = "// end inline asm\n";
  char *end = ptx + size;
  for (char *wait = memmem(ptx, size, begin, sizeof begin - 1); wait;
       wait = memmem(wait, (size_t)(end - wait), begin, sizeof begin - 1)) {
    char *middle = first_of_run(ptx, wait, "\t.loc\t"); /* the wait and its source line */
    char *first = first_of_run(ptx, middle, "\tmov.b");
    wait += sizeof begin - 1;
    const char *after = memmem(wait, (size_t)(end - wait), finish, sizeof finish - 1);
    if (after && first < middle)
      exchange(first, middle, after + sizeof finish - 1);
  }
}
