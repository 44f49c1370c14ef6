# find_package(KFusion) with -DKFusion_DIR=$(kfusion --cmake-dir)
#
# kfusion_add(TARGET app REGIONS app.c LIBRARY lib.c KERNELS kernels.cl
#             [TARGET_DEVICE gpu] [OPTIONS ...])
#
# makes the fused files, in TARGET.kfusion below the build folder, sources of the target. They are
# made again when an input or a header has changed. kfusion gets the target's folders for headers
# and its definitions; OPTIONS are further options for it.
cmake_minimum_required(VERSION 3.21)

find_program(KFusion_EXECUTABLE kfusion)
if(NOT KFusion_EXECUTABLE)
  set(KFusion_FOUND FALSE)
  set(KFusion_NOT_FOUND_MESSAGE "there is no kfusion in PATH; set KFusion_EXECUTABLE")
  return()
endif()

function(kfusion_add)
  cmake_parse_arguments(
    PARSE_ARGV 0 arg "" "TARGET;TARGET_DEVICE" "REGIONS;LIBRARY;KERNELS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT TARGET "${arg_TARGET}" OR NOT arg_REGIONS)
    message(FATAL_ERROR "kfusion_add wants TARGET app REGIONS app.c LIBRARY lib.c KERNELS k.cl")
  endif()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.kfusion")
  set(outputs "${out}/kfusion_fused.h" "${out}/kfusion_calls.h")
  foreach(file IN LISTS arg_REGIONS arg_LIBRARY arg_KERNELS)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(folder "${path}" DIRECTORY)
    get_filename_component(name "${path}" NAME)
    list(APPEND inputs "${path}")
    list(APPEND folders "${folder}")
    list(APPEND outputs "${out}/${name}")
  endforeach()
  if(arg_TARGET_DEVICE)
    list(APPEND arg_OPTIONS --target "${arg_TARGET_DEVICE}")
  endif()
  set(dirs "$<TARGET_PROPERTY:${arg_TARGET},INCLUDE_DIRECTORIES>")
  set(defines "$<TARGET_PROPERTY:${arg_TARGET},COMPILE_DEFINITIONS>")
  # Outputs that would not change keep their times: the stamp tells when kfusion has run.
  add_custom_command(
    OUTPUT "${out}/kfusion.stamp" ${outputs}
    COMMAND "${KFusion_EXECUTABLE}" ${inputs} -o "${out}" --cc "${CMAKE_C_COMPILER}"
      "$<$<BOOL:${dirs}>:-I$<JOIN:${dirs},;-I>>" "$<$<BOOL:${defines}>:-D$<JOIN:${defines},;-D>>"
      ${arg_OPTIONS} -MF "${out}/kfusion.d" -MT "${out}/kfusion.stamp"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}/kfusion.stamp"
    DEPENDS ${inputs}
    DEPFILE "${out}/kfusion.d"
    COMMENT "Fusing kernels for ${arg_TARGET}"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  list(REMOVE_DUPLICATES folders)
  target_sources("${arg_TARGET}" PRIVATE ${outputs})
  target_include_directories(
    "${arg_TARGET}" PRIVATE "${out}" ${folders} "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include")
endfunction()
