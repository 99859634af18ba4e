# cmake -D OUTPUT= -D SYMBOL=ns::name -D FILES=a;b -P write_embedded.cmake
string(REGEX MATCH "^(.+)::([^:]+)$" matched "${SYMBOL}")
set(namespace "${CMAKE_MATCH_1}")
set(name "${CMAKE_MATCH_2}")

set(text "")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  string(APPEND text "${content}")
endforeach()
string(FIND "${text}" ")koppel_text\"" position)
if(NOT position EQUAL -1)
  message(FATAL_ERROR "${SYMBOL}: the text contains the delimiter of the raw string")
endif()

# The standard asks compilers for no more than 64 KiB in a literal; ours take any length.
file(WRITE "${OUTPUT}" "#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace ${namespace} {
extern const char* const ${name};
const char* const ${name} = R\"koppel_text(${text})koppel_text\";
}  // namespace ${namespace}
")
