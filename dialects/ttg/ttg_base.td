// The base class of ttg operations, resources and type constraints; included by every operation file.
#ifndef NEREID_TTG_BASE
#define NEREID_TTG_BASE

include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/tt/tt_attrs.td"
include "dialects/tt/tt_traits.td"
include "dialects/tt/tt_types.td"
include "dialects/ttg/ttg_attrs.td"
include "dialects/ttg/ttg_types.td"

def TTG_SharedMemory : Resource<"::nereid::SharedMemory">;

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTG_Dialect, mnemonic, !listconcat(traits, [TT_ValidTensors])>;

#endif
