# What is installed: the two libraries, their headers, the tools, find_package(Nereid) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
# Headers include each other as "base/..." and <nereid/...>, so they get a root of their own.
set(NEREID_INSTALL_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/nereid-${PROJECT_VERSION_MAJOR})
set(NEREID_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/Nereid)

foreach(library nereid nereid-launch nereid-launch-static)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${NEREID_INSTALL_INCLUDE}>)
endforeach()
set_target_properties(nereid-launch PROPERTIES EXPORT_NAME launch)
set_target_properties(nereid-launch-static PROPERTIES EXPORT_NAME launch-static)
install(TARGETS nereid nereid-launch nereid-launch-static EXPORT NereidTargets)
foreach(tool nereid nereid-opt nereid-lsp-server)
  if(TARGET ${tool}-tool)
    install(TARGETS ${tool}-tool)
  endif()
endforeach()
install(EXPORT NereidTargets NAMESPACE Nereid:: DESTINATION ${NEREID_INSTALL_CMAKE})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/python-free-bindings/include/ ${NEREID_GENERATED}/nereid
        DESTINATION ${NEREID_INSTALL_INCLUDE} FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/base DESTINATION ${NEREID_INSTALL_INCLUDE} FILES_MATCHING PATTERN *.h)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/NereidConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/NereidConfig.cmake INSTALL_DESTINATION ${NEREID_INSTALL_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/NereidConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/NereidConfig.cmake ${PROJECT_BINARY_DIR}/install/NereidConfigVersion.cmake
        DESTINATION ${NEREID_INSTALL_CMAKE})
# Relative, so that --prefix and moving the tree work.
file(RELATIVE_PATH NEREID_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name nereid nereid-launch)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/install/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
