/* Which passes of LLVM a module goes through.
 *
 *   our lowering's IR  ──▶ the list below ──▶ code generator without four of its passes ──▶ PTX ──▶ ptxas
 *
 * LLVM's own list for -O3 is made for programs: of its hundred steps most look for what no kernel has (calls to
 * devirtualise, memory to promote across functions, loops to vectorise), and it combines instructions eight times. This
 * one takes three fifths of its time for the same machine code: of 209 kernels the number of instructions differs by
 * 0.03 % in the mean and by more than 4 % in none. ptxas schedules, allocates and unrolls again after it.
 *
 * The order matters more than the passes. A pass that seems idle has its reason beside it; what is measured by, when it
 * changes: SASS instructions and registers of many kernels, and a GPU. */
#include "target/pass_list.h"

#include <stddef.h>

#define COMBINE "instcombine<no-verify-fixpoint>"

/* Sinks and hoists what branches share, makes switches tables: towards the end, since it hides loops' shapes. */
#define SIMPLIFY_LATE                                                                                                  \
  "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;hoist-common-insts;"           \
  "sink-common-insts;speculate-unpredictables>"

/* Before calls are inlined: functions of libdevice come into a kernel small, with their __nvvm_reflect answered, and
 * a thousand times when a tensor has a thousand registers. */
#define FUNCTIONS                                                                                                      \
  "nvvm-reflect,function(nvvm-intr-range,simplifycfg,sroa<modify-cfg>,early-cse),"                                     \
  "ipsccp," /* ranges: which sums cannot wrap, which divisions have no sign */                                         \
  "function(" COMBINE ",simplifycfg),always-inline,cgscc(inline<only-mandatory>,inline),globaldce,"

/* Values and loops. aggressive-instcombine finds the funnel shifts in sin and cos of large numbers. */
#define LOOPS                                                                                                          \
  "early-cse<memssa>,correlated-propagation,simplifycfg," COMBINE ",simplifycfg,aggressive-instcombine,reassociate,"   \
  "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"                                            \
  "loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>,"                                         \
  "simple-loop-unswitch<nontrivial;trivial>),simplifycfg," COMBINE ","                                                 \
  "loop(loop-idiom,indvars,extra-simple-loop-unswitch-passes,loop-deletion),"                                          \
  "loop-unroll<O3;no-partial;no-runtime;no-profile-peeling;no-upperbound>,"

/* What unrolling shows: constants, ranges, equal loads. */
#define UNROLLED "sroa<modify-cfg>,gvn," COMBINE ",correlated-propagation,adce,dse," SIMPLIFY_LATE ","

/* Pairs of f16 and bf16 are one instruction; for other types it finds nothing, in a third of the time of all passes. */
#define PAIRS "slp-vectorizer,"

#define LAST                                                                                                           \
  "loop-unroll<O3>,sroa<preserve-cfg>," COMBINE ",loop-mssa(licm<allowspeculation>),div-rem-pairs,simplifycfg"

const char *nereid_target_passes(bool narrow_floats) {
  return narrow_floats ? FUNCTIONS "function(" LOOPS UNROLLED PAIRS LAST "),globaldce"
                       : FUNCTIONS "function(" LOOPS UNROLLED LAST "),globaldce";
}

/* slsr, straight-line strength reduction, computes each address from the one before. It takes sext(x + 100) for
 * sext(x) + 100, which is wrong where the sum wraps, compares all pairs of addresses, and its chains made a kernel of
 * ours four times slower; conversion/ttg_to_llvm/elementwise/product.c creates the one kind of chain that helps. The
 * others do again what the optimiser did: without slsr's additions they find nothing that ptxas would not. */
const char *const *nereid_target_skipped_passes(void) {
  static const char *const names[] = {"slsr", "gvn", "nary-reassociate", "early-cse", NULL};
  return names;
}
