/* The LLVM pass pipeline.
 *
 *   IR of the lowering ──▶ the list below ──▶ code generator without four of its passes ──▶ PTX ──▶ ptxas
 *
 * LLVM's -O3 pipeline is for CPU programs: most of its hundred passes do not apply to kernels (devirtualization,
 * promotion of memory across functions, loop vectorization), and it runs instcombine eight times. This one takes three
 * fifths of its time for equivalent machine code: over 209 kernels the number of instructions differs by 0.03 % in the
 * mean and by at most 4 %. ptxas schedules, allocates and unrolls again after it.
 *
 * The order matters more than the selection. A comment gives the reason for a pass without an obvious effect. Measure
 * changes by the SASS instructions and registers of many kernels, and on a GPU. */
#include "target/pass_list.h"

#include <stddef.h>

#define COMBINE "instcombine<no-verify-fixpoint>"

/* Sinks and hoists common code of branches, converts switches to tables: late, since it obscures the structure of
 * loops. */
#define SIMPLIFY_LATE                                                                                                  \
  "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;hoist-common-insts;"           \
  "sink-common-insts;speculate-unpredictables>"

/* Before inlining: folds __nvvm_reflect and simplifies functions of libdevice, which a kernel may inline a thousand
 * times for a tensor of a thousand registers. */
#define FUNCTIONS                                                                                                      \
  "nvvm-reflect,function(nvvm-intr-range,simplifycfg,sroa<modify-cfg>,early-cse),"                                     \
  "ipsccp," /* ranges: which sums cannot wrap, which divisions have no sign */

/* Only with calls. Without, instcombine would run a second time on what the next passes pass to it anyway: a tenth of
 * the optimizer's time. */
#define CALLS "function(" COMBINE ",simplifycfg),always-inline,cgscc(inline<only-mandatory>,inline),globaldce,"

/* Values and loops. aggressive-instcombine finds the funnel shifts in sin and cos of large numbers. */
#define LOOPS                                                                                                          \
  "early-cse<memssa>,correlated-propagation,simplifycfg," COMBINE ",simplifycfg,aggressive-instcombine,reassociate,"   \
  "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"                                            \
  "loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>,"                                         \
  "simple-loop-unswitch<nontrivial;trivial>),simplifycfg," COMBINE ","                                                 \
  "loop(loop-idiom,indvars,extra-simple-loop-unswitch-passes,loop-deletion),"                                          \
  "loop-unroll<O3;no-partial;no-runtime;no-profile-peeling;no-upperbound>,"

/* Simplifies unrolled code: constants, ranges, equal loads. */
#define UNROLLED "sroa<modify-cfg>,gvn," COMBINE ",adce," SIMPLIFY_LATE

/* Forms instructions on pairs of f16 and bf16. It has no effect on other types, nor on conversions that are packed
 * afterwards, but takes up to two fifths of the total time. */
#define PAIRS "slp-vectorizer," COMBINE ","

/* Dead store elimination, a second propagation of ranges and a further instcombine find nothing here, in 78 kernels of
 * 100 to 5,000 instructions, and take a tenth of the time; with hundreds of stores, a third. */
#define LAST "loop-unroll<O3>,loop-mssa(licm<allowspeculation>),div-rem-pairs,simplifycfg"

const char *nereid_target_first_passes(bool calls) {
  return calls ? FUNCTIONS CALLS "function(" LOOPS UNROLLED ")" : FUNCTIONS "function(" LOOPS UNROLLED ")";
}

const char *nereid_target_last_passes(bool pairs) {
  return pairs ? "function(" PAIRS LAST "),globaldce" : "function(" LAST "),globaldce";
}

/* slsr, straight-line strength reduction, computes each address from the one before. It takes sext(x + 100) for sext(x)
 * + 100, which is wrong if the sum wraps, compares all pairs of addresses, and its chains made one kernel four times
 * slower; conversion/ttg_to_llvm/elementwise/product.c creates the only beneficial kind of chain. The other passes
 * repeat work of the optimizer: without the additions of slsr they find nothing that ptxas would not. */
const char *const *nereid_target_skipped_passes(void) {
  static const char *const names[] = {"slsr", "gvn", "nary-reassociate", "early-cse", NULL};
  return names;
}
