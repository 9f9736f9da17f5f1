# nereid_add_kernels(TARGET SOURCES FILE... TARGETS SM... [CONFIGS C...] [GRIDS G...] [KERNELS NAME...] [PREFIX P] [LAZY]
#                    [OPTIONS O...])
#
# Compiles kernels with `nereid aot` and adds them to TARGET, a new static library unless it exists. The header PREFIX.h
# (default: TARGET.h) can be included by TARGET and by targets that link it. The kernels are compiled again when a source or
# the compiler changes.
#
#   find_package(Nereid REQUIRED CONFIG)
#   nereid_add_kernels(kernels SOURCES matmul.ttir softmax.ttir TARGETS sm_80 sm_90a
#                      CONFIGS num_warps=4 matmul:num_warps=8,BLOCK_M=256 GRIDS "softmax:x = rows")
#   target_link_libraries(program PRIVATE kernels)
#
# CONFIGS, GRIDS and KERNELS are values of --config, --grid and --kernel, OPTIONS other options of `nereid aot`.
function(nereid_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LAZY" "PREFIX" "SOURCES;TARGETS;CONFIGS;GRIDS;KERNELS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nereid_add_kernels(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(needed SOURCES TARGETS)
    if(NOT arg_${needed})
      message(FATAL_ERROR "nereid_add_kernels(${target}): ${needed} is missing")
    endif()
  endforeach()
  if(NOT Nereid_EXECUTABLE)
    message(FATAL_ERROR "nereid_add_kernels(${target}): the program nereid was not found; set Nereid_EXECUTABLE")
  endif()
  if(NOT arg_PREFIX)
    string(MAKE_C_IDENTIFIER ${target} arg_PREFIX)
  endif()

  set(inputs)
  foreach(source ${arg_SOURCES})
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND inputs ${source})
  endforeach()
  set(options --prefix ${arg_PREFIX})
  foreach(config IN LISTS arg_CONFIGS)
    list(APPEND options --config ${config})
  endforeach()
  foreach(grid IN LISTS arg_GRIDS)
    list(APPEND options --grid ${grid})
  endforeach()
  foreach(kernel IN LISTS arg_KERNELS)
    list(APPEND options --kernel ${kernel})
  endforeach()
  if(arg_LAZY)
    list(APPEND options --lazy)
  endif()
  list(JOIN arg_TARGETS "," architectures)

  # The source is C and C++; it is compiled as a language of the project.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix c)
  if(NOT C IN_LIST languages)
    set(suffix cpp)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}-kernels)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${arg_PREFIX}.${suffix} ${folder}/${arg_PREFIX}.h
    COMMAND ${Nereid_EXECUTABLE} aot ${inputs} --target ${architectures} ${options} ${arg_OPTIONS}
            --emit-c ${folder}/${arg_PREFIX}.${suffix} --header ${folder}/${arg_PREFIX}.h
    DEPENDS ${inputs} ${Nereid_EXECUTABLE}
    COMMENT "Kernels of ${target}"
    VERBATIM)
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
  endif()
  target_sources(${target} PRIVATE ${folder}/${arg_PREFIX}.${suffix} ${folder}/${arg_PREFIX}.h)
  target_include_directories(${target} PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC Nereid::launch)
endfunction()
