# koppel_library(<folder> [SOURCES <file>...] [LINK <target>...] [PRIVATE_LINK <target>...])
#
# Makes the target koppel::<folder> of the folder this is called from, and installs it. LINK is
# what its headers need, PRIVATE_LINK what only its sources need. Without SOURCES it is a library
# of headers. Which headers are installed: KoppelPublicHeaders.cmake.
function(koppel_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "koppel_library(${folder}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  set(target koppel_${folder})
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    koppel_own(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${KOPPEL_JOINED} UNITY_BUILD_BATCH_SIZE 8)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LINK})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(koppel::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} ${arg_LINK})

  install(TARGETS ${target} EXPORT koppel ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endfunction()

# koppel_version_library(): the target koppel::version, which knows the project's version, the
# commit and what was left out. The commit is looked up in every build; the source is rewritten when it changed.
function(koppel_version_library)
  set(source "${PROJECT_BINARY_DIR}/generated/version.cpp")
  add_custom_target(koppel_version_source
    COMMAND ${CMAKE_COMMAND}
            -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D VERSION=${PROJECT_VERSION}
            -D "LEFT_OUT=${KOPPEL_LEFT_OUT}" -D "OUTPUT=${source}" -P "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake"
    BYPRODUCTS "${source}"
    COMMENT "Looking up the commit" VERBATIM)
  koppel_library(version SOURCES "${source}")
  add_dependencies(koppel_version koppel_version_source)
endfunction()
