# nereid_exports(TARGET NODE HEADER...): the library exports only the declarations of the headers, under a version node, so that
# it can be loaded into a process with another LLVM.
function(nereid_exports target node)
  set(map ${PROJECT_BINARY_DIR}/${target}.map)
  list(JOIN ARGN "\n" headers)
  file(CONFIGURE OUTPUT ${map}.headers CONTENT "${headers}\n" @ONLY)
  add_custom_command(
    OUTPUT ${map}
    COMMAND ${CMAKE_COMMAND} -DOUT=${map} -DNODE=${node} -DHEADERS=${map}.headers
            -P ${PROJECT_SOURCE_DIR}/cmake/WriteExports.cmake
    DEPENDS ${ARGN} ${map}.headers ${PROJECT_SOURCE_DIR}/cmake/WriteExports.cmake
    COMMENT "exports of ${target}")
  add_custom_target(${target}-exports DEPENDS ${map})
  add_dependencies(${target} ${target}-exports)
  # A header may also declare inline functions and functions of the other library.
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--undefined-version)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
