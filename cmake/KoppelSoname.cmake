# koppel_soname(OUT LIBRARY): the name under which programs load a shared library (libzip.so.4).
function(koppel_soname out library)
  file(REAL_PATH "${library}" path)
  cmake_path(GET path FILENAME name)
  string(REGEX REPLACE "([.]so[.][0-9]+).*" "\\1" name "${name}")
  set(${out} "${name}" PARENT_SCOPE)
endfunction()
