/* `nereid` with the naive race detector: `naive_races run K.ptx --racecheck ...` reports all pairs of instructions that
 * race in that run, and exits with 3 when the detector's result differs; stderr has the differences. */
#include "test/emulator/race/both_detectors.h"

int nereid_tool_main(int argc, char **argv);
#define main nereid_tool_main
#include "tools/nereid/main.c" /* NOLINT(bugprone-suspicious-include): under another name */
#undef main

int main(int argc, char **argv) {
  int code = nereid_tool_main(argc, argv);
  fprintf(stderr, "naive: %zu accesses, %zu nodes, %zu pairs that race at a byte, %zu disagreements\n",
          naive.accesses.size, naive.nodes.size, naive.pairs.size, both.disagreements);
  return both.disagreements ? 3 : code;
}
