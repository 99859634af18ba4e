# koppel_soname(OUT LIBRARY): the name under which programs load a shared library (libzip.so.4). It stands in the library;
# the number in the name of its file may be another one.
function(koppel_soname out library)
  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${library}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  if(NOT headers MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${library} has no name under which programs can load it.")
  endif()
  set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
