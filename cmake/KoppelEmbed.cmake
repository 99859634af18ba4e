# koppel_embed(<target> OUTPUT <name.cpp> SYMBOL <ns::kName> FILES <file>...)
#
# Adds to <target> a source that defines the text of the files, one after the other, as
#   namespace ns { extern const char* const kName; }
# It is made again when a file changes.
function(koppel_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;SYMBOL" "FILES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_OUTPUT OR NOT arg_FILES
     OR NOT arg_SYMBOL MATCHES "^.+::[A-Za-z_0-9]+$")
    message(FATAL_ERROR "koppel_embed(${target}): needs OUTPUT, SYMBOL ns::name and FILES")
  endif()
  set(script "${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${arg_OUTPUT}")
  set(files)
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND files "${file}")
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -D "OUTPUT=${output}" -D "SYMBOL=${arg_SYMBOL}"
            -D "FILES=${files}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${arg_OUTPUT}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
