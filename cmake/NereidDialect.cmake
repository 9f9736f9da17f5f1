# nereid_dialect(NAME): runs mlir-tblgen on dialects/NAME; the output is in ${NEREID_GENERATED}/dialects/NAME.
#
#   dialects/NAME/NAME.td            includes every other file of the dialect; operations, types, attributes
#   dialects/NAME/NAME_enums.td      only the dialect's enums (enum generators have no filter)
#   dialects/NAME/NAME_interfaces.td optional: operation interfaces
#
# Outputs: dialect.h.inc, dialect.cpp.inc, ops.*, types.*, attrs.*, enums.*, [interfaces.*], NAME.json
# (the record dump that ods-bindgen reads).
function(nereid_tblgen out)
  cmake_parse_arguments(arg "" "SOURCE;TOOL" "FLAGS" ${ARGN})
  if(NOT arg_TOOL)
    set(arg_TOOL ${NEREID_MLIR_TBLGEN})
  endif()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${arg_TOOL} ${arg_FLAGS} ${arg_SOURCE} -I ${PROJECT_SOURCE_DIR} -I ${NEREID_LLVM_INCLUDE}
            -o ${out} -d ${out}.d
    DEPFILE ${out}.d
    DEPENDS ${arg_SOURCE}
    COMMENT "tblgen ${arg_SOURCE} ${out}")
endfunction()

function(nereid_dialect name)
  set(src ${PROJECT_SOURCE_DIR}/dialects/${name})
  set(out ${NEREID_GENERATED}/dialects/${name})
  file(MAKE_DIRECTORY ${out})
  set(made)
  foreach(kind dialect typedef attrdef op)
    string(REPLACE typedef types file ${kind})
    string(REPLACE attrdef attrs file ${file})
    string(REGEX REPLACE "^op$" ops file ${file})
    set(flags)
    if("${kind}" STREQUAL "dialect")
      set(flags -dialect=${name})
    elseif("${kind}" STREQUAL "op")
      set(flags "-op-include-regex=^${name}\\..*")
    else()
      set(flags -${kind}s-dialect=${name})
    endif()
    nereid_tblgen(${out}/${file}.h.inc SOURCE ${src}/${name}.td FLAGS -gen-${kind}-decls ${flags})
    nereid_tblgen(${out}/${file}.cpp.inc SOURCE ${src}/${name}.td FLAGS -gen-${kind}-defs ${flags})
    list(APPEND made ${out}/${file}.h.inc ${out}/${file}.cpp.inc)
  endforeach()
  foreach(kind enum op-interface)
    string(REPLACE op-interface interfaces file ${kind})
    string(REGEX REPLACE "^enum$" enums file ${file})
    if(EXISTS ${src}/${name}_${file}.td)
      nereid_tblgen(${out}/${file}.h.inc SOURCE ${src}/${name}_${file}.td FLAGS -gen-${kind}-decls)
      nereid_tblgen(${out}/${file}.cpp.inc SOURCE ${src}/${name}_${file}.td FLAGS -gen-${kind}-defs)
      list(APPEND made ${out}/${file}.h.inc ${out}/${file}.cpp.inc)
    endif()
  endforeach()
  nereid_tblgen(${out}/${name}.json SOURCE ${src}/${name}.td TOOL ${NEREID_LLVM_TBLGEN} FLAGS --dump-json)
  add_custom_target(nereid-tblgen-${name} DEPENDS ${made})
  set_property(GLOBAL APPEND PROPERTY NEREID_DIALECT_FILES ${made})
  set_property(GLOBAL APPEND PROPERTY NEREID_OWN_JSON ${name}=${out}/${name}.json)
  set_property(GLOBAL APPEND PROPERTY NEREID_JSON_FILES ${out}/${name}.json)
endfunction()

# nereid_upstream_dialect(NAME TD...): the record dumps of an MLIR dialect, for builders and accessors in C.
function(nereid_upstream_dialect name)
  set(out ${NEREID_GENERATED}/dialects/upstream)
  file(MAKE_DIRECTORY ${out})
  foreach(td ${ARGN})
    get_filename_component(base ${td} NAME_WE)
    nereid_tblgen(${out}/${base}.json SOURCE ${NEREID_LLVM_INCLUDE}/mlir/Dialect/${td} TOOL ${NEREID_LLVM_TBLGEN}
                  FLAGS --dump-json)
    set_property(GLOBAL APPEND PROPERTY NEREID_UPSTREAM_JSON ${name}=${out}/${base}.json)
    set_property(GLOBAL APPEND PROPERTY NEREID_JSON_FILES ${out}/${base}.json)
  endforeach()
endfunction()
