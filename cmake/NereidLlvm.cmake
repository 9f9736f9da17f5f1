# nereid-llvm: MLIR 22.1 and LLVM 22.1 as static archives. The exported CMake targets of MLIR pull in libLLVM.so, so
# the archives are listed here; --gc-sections removes unreferenced sections.
find_program(NEREID_LLVM_CONFIG NAMES llvm-config llvm-config-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
execute_process(COMMAND ${NEREID_LLVM_CONFIG} --link-static --libfiles nvptx passes irreader bitreader bitwriter linker
                        core target remarks
                OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NEREID_LLVM_CONFIG} --libdir OUTPUT_VARIABLE llvm_libdir OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(llvm_archives)
file(GLOB mlir_archives ${llvm_libdir}/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX "Test|MLIRMlirOptMainPlugins")
set(NEREID_MLIR_C_ARCHIVE ${llvm_libdir}/libMLIRCAPIIR.a)
add_library(nereid-llvm INTERFACE)
set(NEREID_LLVM_LIBRARIES -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
                          -lz -lzstd -lm -lpthread -ldl -lstdc++)
target_link_libraries(nereid-llvm INTERFACE ${NEREID_LLVM_LIBRARIES})

# nereid_blake3_objects(OUT): the object files of BLAKE3 in libLLVMSupport.a, extracted to the build folder.
function(nereid_blake3_objects out)
  set(archive ${llvm_libdir}/libLLVMSupport.a)
  set(folder ${PROJECT_BINARY_DIR}/blake3)
  execute_process(COMMAND ${CMAKE_AR} t ${archive} OUTPUT_VARIABLE members COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*blake3[^\n]*" members "${members}")
  if(NOT members)
    message(FATAL_ERROR "${archive} does not contain BLAKE3")
  endif()
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${CMAKE_AR} xo ${archive} ${members} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  list(TRANSFORM members PREPEND ${folder}/)
  set_source_files_properties(${members} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${out} ${members} PARENT_SCOPE)
endfunction()
