/* Renumbers call sequences in PTX comments.
 *
 *   { // callseq 41, 0   …   } // callseq 41      →      { // callseq 0, 0   …   } // callseq 0
 *
 * LLVM counts calls per process, so that the second compilation of a kernel would differ from the first. Sequences do
 * not nest: each brace that opens takes the next number, each that closes repeats it. */
#include "target/ptx/callseq.h"

#include <stdio.h>
#include <string.h>

size_t nereid_target_renumber_calls(char *ptx, size_t size) {
  static const char key[] = " // callseq ";
  enum { KEY = sizeof key - 1 };
  const char *from = ptx, *end = ptx + size;
  char *to = ptx;
  unsigned count = 0;
  for (;;) {
    const char *found = memmem(from, (size_t)(end - from), key, KEY);
    size_t kept = (size_t)((found ? found + KEY : end) - from);
    count += found && found > ptx && found[-1] == '{';
    memmove(to, from, kept);
    to += kept;
    from += kept;
    if (!found)
      break;
    char number[16];
    int digits = snprintf(number, sizeof number, "%u", count ? count - 1 : 0);
    memcpy(to, number, (size_t)digits); /* never longer than the replaced number */
    to += digits;
    while (from < end && *from >= '0' && *from <= '9')
      from++;
  }
  *to = 0;
  return (size_t)(to - ptx);
}
