/* enable-line-info: adds scopes of debug information to locations, for source lines.
 *
 *   loc("v"(callsite("lib.py":7:3 at "k.py":20:5)))   →   "v"(callsite(fused<#f>["lib.py":7:3] at "k.py":20:5))
 *   llvm.func @k … loc("k.py":18:0)                   →   loc(fused<#k>["k.py":18:0])
 *
 * Translation to LLVM IR creates a DILocation for every location that has a scope, and an inlinedAt for every call
 * site. A function has its own DISubprogram. Code inlined into it has one DISubprogram per function of origin: by the
 * name in the location (nereid-name-inlined), else by file. A line of a function that is in another file gets a scope
 * with that file.
 *
 * The compile unit requests line directives only. With sections of debug information, PTX would declare a debug build
 * and the assembler would not optimize it. */
#include "dialects/ir.h"
#include "passes/debug_info/debug_scope.h"

#include "base/vector.h"
#include "passes/pass.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Dialect/LLVM.h>

enum { DWARF_LANGUAGE_C = 2, DWARF_NORMAL_CALL = 1, IS_DEFINITION = 8, IS_OPTIMIZED = 16 };

/* The role of a location within the location of an operation. */
typedef enum part {
  PART_OF_FUNCTION, /* a line of the function: translation assigns the scope of its context */
  PART_CALLER,      /* the outermost call: also in the function, but its context is the callee's scope */
  PART_INLINED,
} part_t;

typedef struct inlined {
  MlirAttribute name, file, subprogram;
} inlined_t;

typedef struct lines {
  nereid_pass_t *pass;
  MlirAttribute unit;      /* compile unit of the first function; null before */
  MlirAttribute own, file; /* the function's subprogram, and its file */
  MlirLocation place;      /* location of the function */
  NEREID_VECTOR(inlined_t) inlined;
} lines_t;

static MlirAttribute string_attr(lines_t *lines, MlirStringRef text) {
  return mlirStringAttrGet(lines->pass->context, text);
}

/* A new distinct attribute: two functions with the same name and file stay distinct. */
static MlirAttribute identity(lines_t *lines) {
  return mlirAttributeParseGet(lines->pass->context, mlirStringRefCreateFromCString("distinct[0]<>"));
}

/* The file, with its folder in the name, so that the name alone is unique. */
static MlirAttribute file_of(lines_t *lines, MlirLocation place) {
  MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
  return mlirLLVMDIFileAttrGet(lines->pass->context, string_attr(lines, name),
                               string_attr(lines, (MlirStringRef){"", 0}));
}

static MlirAttribute unit_of(lines_t *lines, MlirAttribute file) {
  const MlirAttribute none = {NULL};
  if (mlirAttributeIsNull(lines->unit))
    lines->unit =
        mlirLLVMDICompileUnitAttrGet(lines->pass->context, identity(lines), DWARF_LANGUAGE_C, file,
                                     string_attr(lines, mlirStringRefCreateFromCString("nereid")), true,
                                     MlirLLVMDIEmissionKindDebugDirectivesOnly, MlirLLVMDINameTableKindDefault, none);
  return lines->unit;
}

static MlirAttribute subprogram(lines_t *lines, MlirAttribute name, MlirAttribute file, unsigned line) {
  const MlirAttribute none = {NULL};
  MlirContext context = lines->pass->context;
  MlirAttribute type = mlirLLVMDISubroutineTypeAttrGet(context, DWARF_NORMAL_CALL, 0, NULL);
  return mlirLLVMDISubprogramAttrGet(context, none, false, identity(lines), unit_of(lines, file), file, name, name,
                                     file, line, line, IS_DEFINITION | IS_OPTIMIZED, type, 0, NULL, 0, NULL);
}

/* "lib" of "folder/lib.py": the name of a function of which only the file is known. */
static MlirStringRef stem(MlirStringRef path) {
  size_t end = path.length, start = path.length;
  while (start > 0 && path.data[start - 1] != '/')
    start--;
  for (size_t i = path.length; i > start + 1; i--)
    if (path.data[i - 1] == '.') {
      end = i - 1;
      break;
    }
  return (MlirStringRef){path.data + start, end - start};
}

/* The subprogram of inlined code: one per name and file. */
static MlirAttribute inlined_subprogram(lines_t *lines, MlirAttribute name, MlirLocation place) {
  MlirAttribute file = file_of(lines, place);
  if (mlirAttributeIsNull(name))
    name = string_attr(lines, stem(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place))));
  for (size_t i = 0; i < lines->inlined.size; i++)
    if (mlirAttributeEqual(lines->inlined.data[i].name, name) && mlirAttributeEqual(lines->inlined.data[i].file, file))
      return lines->inlined.data[i].subprogram;
  MlirAttribute made = subprogram(lines, name, file, 0);
  (void)nereid_vector_push(lines->pass->scratch, &lines->inlined, (inlined_t){name, file, made});
  return made;
}

static MlirLocation in_scope(lines_t *lines, MlirLocation place, part_t part, MlirAttribute name) {
  MlirContext context = lines->pass->context;
  MlirAttribute file = file_of(lines, place);
  if (part == PART_INLINED)
    return mlirLocationFusedGet(context, 1, &place, inlined_subprogram(lines, name, place));
  if (mlirAttributeEqual(file, lines->file))
    return part == PART_CALLER ? mlirLocationFusedGet(context, 1, &place, lines->own) : place;
  return mlirLocationFusedGet(context, 1, &place, mlirLLVMDILexicalBlockFileAttrGet(context, lines->own, file, 0));
}

static MlirLocation scoped(lines_t *lines, MlirLocation location, part_t part, MlirAttribute name);

static MlirLocation scoped_call_site(lines_t *lines, MlirLocation location, part_t part, MlirAttribute name) {
  const MlirAttribute none = {NULL};
  const part_t around = part == PART_OF_FUNCTION ? PART_CALLER : part;
  MlirLocation caller = scoped(lines, mlirLocationCallSiteGetCaller(location), around, name);
  if (mlirLocationIsNull(caller)) /* unknown inlining position: uses a line of this function */
    return scoped(lines, mlirLocationCallSiteGetCallee(location), part, name);
  MlirLocation callee = scoped(lines, mlirLocationCallSiteGetCallee(location), PART_INLINED, none);
  if (!mlirLocationIsNull(callee))
    return mlirLocationCallSiteGet(callee, caller);
  while (mlirLocationIsAName(caller)) /* the name is that of the call's result, not of a part of the callee */
    caller = mlirLocationNameGetChildLoc(caller);
  return caller;
}

/* The first part with a file: merging several would leave no line. */
static MlirLocation scoped_part(lines_t *lines, MlirLocation location, part_t part, MlirAttribute name) {
  MlirLocation found = {NULL};
  unsigned count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = nereid_arena_new(lines->pass->scratch, MlirLocation, count);
  if (!parts)
    return found;
  MlirAttribute metadata = mlirLocationFusedGetMetadata(location);
  if (!mlirAttributeIsNull(metadata) && mlirAttributeIsAString(metadata))
    name = metadata;
  mlirLocationFusedGetLocations(location, parts);
  for (unsigned i = 0; i < count && mlirLocationIsNull(found); i++)
    found = scoped(lines, parts[i], part, name);
  return found;
}

/* The location without parts that have no file, and with scopes; null when nothing is left. Inlined code gets the name
 * `name` unless that is null. */
static MlirLocation scoped(lines_t *lines, MlirLocation location, part_t part, MlirAttribute name) {
  const MlirLocation nothing = {NULL};
  if (mlirLocationIsAFileLineColRange(location))
    return in_scope(lines, location, part, name);
  if (mlirLocationIsACallSite(location))
    return scoped_call_site(lines, location, part, name);
  if (mlirLocationIsAFused(location))
    return scoped_part(lines, location, part, name);
  if (!mlirLocationIsAName(location))
    return nothing;
  MlirLocation child = scoped(lines, mlirLocationNameGetChildLoc(location), part, name);
  if (mlirLocationIsNull(child))
    return nothing;
  return mlirLocationNameGet(lines->pass->context, mlirIdentifierStr(mlirLocationNameGetName(location)), child);
}

static void visit_block_arguments(lines_t *lines, MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; i++) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      MlirLocation location = scoped(lines, mlirValueGetLocation(argument), PART_OF_FUNCTION, (MlirAttribute){NULL});
      if (!mlirLocationIsNull(location))
        mlirBlockArgumentSetLocation(argument, location);
    }
}

static MlirWalkResult visit_op(MlirOperation op, void *data) {
  lines_t *lines = data;
  if (nereid_op_kind(op) == NEREID_OP_LLVM_FUNC)
    return MlirWalkResultAdvance;
  MlirLocation location = scoped(lines, mlirOperationGetLocation(op), PART_OF_FUNCTION, (MlirAttribute){NULL});
  /* LLVM requires a line for every call, since the call may be inlined. */
  if (mlirLocationIsNull(location))
    location = nereid_op_kind(op) == NEREID_OP_LLVM_CALL ? lines->place : mlirLocationUnknownGet(lines->pass->context);
  mlirOperationSetLocation(op, location);
  return MlirWalkResultAdvance;
}

static void visit_function(lines_t *lines, MlirOperation function) {
  MlirLocation location = mlirOperationGetLocation(function);
  if (nereid_debug_is_declaration(function) || !mlirAttributeIsNull(nereid_debug_scope_of(location)))
    return;
  lines->place = nereid_debug_place_of(location);
  if (mlirLocationIsNull(lines->place))
    lines->place = mlirLocationFileLineColGet(lines->pass->context, mlirStringRefCreateFromCString("<unknown>"), 0, 0);
  lines->file = file_of(lines, lines->place);
  MlirAttribute name = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_NAME);
  unsigned line = (unsigned)mlirLocationFileLineColRangeGetStartLine(lines->place);
  lines->own = subprogram(lines, name, lines->file, line);
  visit_block_arguments(lines, function);
  mlirOperationWalk(function, visit_op, lines, MlirWalkPreOrder);
  mlirOperationSetLocation(function, mlirLocationFusedGet(lines->pass->context, 1, &lines->place, lines->own));
}

MlirLogicalResult nereid_pass_enable_line_info(nereid_pass_t *pass) {
  lines_t lines = {.pass = pass};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pass->op, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_LLVM_FUNC)
      visit_function(&lines, op);
  return mlirLogicalResultSuccess();
}
