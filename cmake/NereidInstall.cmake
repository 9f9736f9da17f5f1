# Installed files: the two libraries, shared and static, their headers, the tools with manual pages and completions,
# documents, examples, find_package(Nereid) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
# Headers include each other as "base/..." and <nereid/...>, so they have a separate include root.
set(NEREID_INSTALL_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/nereid-${PROJECT_VERSION_MAJOR})
set(NEREID_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/Nereid)

foreach(library nereid nereid-static nereid-launch nereid-launch-static)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${NEREID_INSTALL_INCLUDE}>)
endforeach()
# libnereid.a has Nereid's own code. LLVM's and MLIR's archives (several hundred MB) are not copied into it: NereidConfig.cmake and
# `pkg-config --static` name those that it was built with.
set_target_properties(nereid-static PROPERTIES EXPORT_NAME static OUTPUT_NAME nereid)
string(REPLACE ";" " " NEREID_STATIC_LIBS "${NEREID_LLVM_LIBRARIES}")
set_target_properties(nereid-launch PROPERTIES EXPORT_NAME launch)
set_target_properties(nereid-launch-static PROPERTIES EXPORT_NAME launch-static)
install(TARGETS nereid nereid-static nereid-launch nereid-launch-static EXPORT NereidTargets)
foreach(tool nereid nereid-opt nereid-lsp-server)
  if(TARGET ${tool}-tool)
    install(TARGETS ${tool}-tool)
  endif()
endforeach()
install(EXPORT NereidTargets NAMESPACE Nereid:: DESTINATION ${NEREID_INSTALL_CMAKE})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/python-free-bindings/include/ ${NEREID_GENERATED}/nereid
        DESTINATION ${NEREID_INSTALL_INCLUDE} FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/base DESTINATION ${NEREID_INSTALL_INCLUDE} FILES_MATCHING PATTERN *.h)

# In a build folder `nereid aot` finds the headers at the same place, relative to the tool, as in an installation.
set(headers ${PROJECT_BINARY_DIR}/include/nereid-${PROJECT_VERSION_MAJOR})
file(MAKE_DIRECTORY ${headers})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python-free-bindings/include/nereid ${headers}/nereid SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/base ${headers}/base SYMBOLIC)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/NereidConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/NereidConfig.cmake INSTALL_DESTINATION ${NEREID_INSTALL_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/NereidConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/NereidConfig.cmake ${PROJECT_BINARY_DIR}/install/NereidConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/NereidKernels.cmake
        DESTINATION ${NEREID_INSTALL_CMAKE})
# Relative, so that --prefix works and the installation can be moved.
file(RELATIVE_PATH NEREID_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name nereid nereid-launch)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/install/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Manual pages and completions, which the tools print from their option tables.
set(share ${PROJECT_BINARY_DIR}/install/share)
set(manual awk -v out=${share}/man -v version=${PROJECT_VERSION} -f ${PROJECT_SOURCE_DIR}/scripts/manual.awk)
set(without_leaks ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0)
add_custom_command(
  OUTPUT ${share}/man/nereid.1 ${share}/man/nereid-opt.1 ${share}/nereid.bash ${share}/_nereid ${share}/nereid.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/man
  COMMAND ${without_leaks} $<TARGET_FILE:nereid-tool> --print-command-docs > ${share}/nereid.md
  COMMAND ${manual} ${share}/nereid.md
  COMMAND ${without_leaks} $<TARGET_FILE:nereid-opt-tool> --print-pass-docs > ${share}/passes.md
  COMMAND ${manual} -v page=nereid-opt ${share}/passes.md
  COMMAND ${without_leaks} $<TARGET_FILE:nereid-tool> --print-completions bash > ${share}/nereid.bash
  COMMAND ${without_leaks} $<TARGET_FILE:nereid-tool> --print-completions zsh > ${share}/_nereid
  COMMAND ${without_leaks} $<TARGET_FILE:nereid-tool> --print-completions fish > ${share}/nereid.fish
  DEPENDS nereid-tool nereid-opt-tool ${PROJECT_SOURCE_DIR}/scripts/manual.awk
  COMMENT "Manual pages and completions")
add_custom_target(nereid-share ALL DEPENDS ${share}/man/nereid.1 ${share}/nereid.bash)
configure_file(${PROJECT_SOURCE_DIR}/cmake/nereid-lsp-server.1.in ${share}/man/nereid-lsp-server.1 @ONLY)
install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
install(FILES ${share}/nereid.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME nereid)
install(FILES ${share}/_nereid DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${share}/nereid.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/editors DESTINATION ${CMAKE_INSTALL_DATADIR}/nereid)

# Documents link to each other and to README.md, and name the examples, by relative paths.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python-free-bindings/examples/
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/c)
