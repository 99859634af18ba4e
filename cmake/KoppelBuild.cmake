# Language, warnings and flags of our own code.

include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Ninja pipes the compiler's output, so ask for colour where a terminal will show it.
set(CMAKE_COLOR_DIAGNOSTICS ON)

# A compiler cache where there is one. Paths are hashed relative to the sources, so that clones share what was compiled.
find_program(KOPPEL_CCACHE ccache)
if(KOPPEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "${KOPPEL_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# Sanitizers are for the whole build, because every object must agree on them.
if(KOPPEL_SANITIZE)
  add_compile_options(-fsanitize=${KOPPEL_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KOPPEL_SANITIZE})
endif()
if(KOPPEL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# koppel_own(<target>): the flags of our own code.
# Contraction to fused multiply-add is off so that interpreted, compiled and exported
# evaluations of one expression agree bit for bit.
function(koppel_own target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms on std::string in GCC 12 (bug 105651)
    # Joined sources are includes to the compiler, where types of an anonymous namespace would be of several units.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KOPPEL_JOINED}>>:-Wno-subobject-linkage>
    $<$<BOOL:${KOPPEL_WERROR}>:-Werror>
    $<$<AND:$<BOOL:${KOPPEL_WERROR}>,$<BOOL:${KOPPEL_JOINED}>>:-Wno-error=shadow>  # a name of another source
    $<$<AND:$<BOOL:${KOPPEL_WERROR}>,$<CXX_COMPILER_ID:GNU>>:-Wno-error=maybe-uninitialized>  # false alarms on std::string
    -ffp-contract=off)
endfunction()
