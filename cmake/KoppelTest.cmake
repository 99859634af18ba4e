include(GoogleTest)

add_custom_target(fuzzers)

# koppel_program(<name> SOURCES <file>... [LINK <target>...]): an executable of our own code.
function(koppel_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "koppel_program(${name}): needs SOURCES; got ${ARGN}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  koppel_own(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

# koppel_test(<name> SOURCES <file>... [LINK <target>...] [LABELS <label>])
#
# A GoogleTest program; each of its tests is one of ctest's. Label `long` what takes more
# than some seconds: bin/test leaves it out unless told --all. (Test discovery can pass on
# one label only.)
function(koppel_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABELS" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "koppel_test(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  koppel_program(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} GTest::gtest_main)
  # What is tested is in the libraries; optimising the tests themselves costs a quarter of the build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set(properties TIMEOUT 600)
  if(arg_LABELS)
    list(APPEND properties LABELS ${arg_LABELS})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES ${properties})
endfunction()

# koppel_benchmark(<name> SOURCES <file>... [LINK <target>...]): a Google Benchmark program.
function(koppel_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  koppel_program(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} benchmark::benchmark)
endfunction()

# koppel_fuzzer(<name> SOURCES <file>... [LINK <target>...] CORPUS <folder> [CHANGES <number>])
#
# The sources define LLVMFuzzerTestOneInput. With KOPPEL_FUZZ this is a libFuzzer program;
# otherwise it is a test that runs every file of the corpus once, and random changes of them.
function(koppel_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS;CHANGES" "SOURCES;LINK")
  if(KOPPEL_FUZZ)
    koppel_program(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                          "${PROJECT_BINARY_DIR}/bin")
    add_dependencies(fuzzers ${name})
  else()
    cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    koppel_program(${name} LINK ${arg_LINK}
                   SOURCES ${arg_SOURCES} "${PROJECT_SOURCE_DIR}/tests/replay_corpus.cpp")
    if(NOT arg_CHANGES)
      set(arg_CHANGES 0)
    endif()
    add_test(NAME ${name}.corpus COMMAND ${name} "--changes=${arg_CHANGES}" "${arg_CORPUS}")
  endif()
endfunction()
