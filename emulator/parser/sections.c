/* Maps instruction names to PTX ISA sections, for diagnostics about unsupported instructions. */
#include "emulator/parser/parse.h"

static const struct {
  const char *section, *names; /* names: each followed by a space */
} sections[] = {
    {"Integer Arithmetic Instructions",
     "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a "},
    {"Extended-Precision Integer Arithmetic Instructions", "addc subc madc "},
    {"Floating-Point Instructions", "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh "},
    {"Comparison and Selection Instructions", "set setp selp slct "},
    {"Logic and Shift Instructions", "and or xor not cnot lop3 shf shl shr "},
    {"Data Movement and Conversion Instructions",
     "mov shfl prmt ld ldu st multimem prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa "
     "getctarank cp tensormap "},
    {"Texture Instructions", "tex tld4 txq istypep "},
    {"Surface Instructions", "suld sust sured suq "},
    {"Control Flow Instructions", "bra brx call ret exit "},
    {"Parallel Synchronization and Communication Instructions",
     "bar barrier membar fence atom red vote match activemask redux griddepcontrol elect mbarrier "
     "clusterlaunchcontrol "},
    {"Warp Level Matrix Multiply-Accumulate Instructions", "wmma mma ldmatrix stmatrix movmatrix "},
    {"Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "wgmma "},
    {"TensorCore 5th Generation Family Instructions", "tcgen05 "},
    {"Stack Manipulation Instructions", "stacksave stackrestore alloca "},
    {"Video Instructions",
     "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 "
     "vavrg4 vabsdiff4 vmin4 vmax4 vset4 "},
    {"Miscellaneous Instructions", "brkpt nanosleep pmevent trap setmaxnreg "}};

const char *nereid_emulator_section(nereid_view_t name) {
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i)
    for (const char *at = sections[i].names; *at; at = strchr(at, ' ') + 1)
      if (nereid_view_equal(name, nereid_view_of(at, strcspn(at, " "))))
        return sections[i].section;
  return NULL;
}
