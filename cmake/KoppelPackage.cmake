# Debian packages, by `cmake --build <build> --target koppel_package`: three files koppel_*.deb in <build>/packages.
#   koppel          the program with its models, manual page and completions
#   python3-koppel  the module for Debian's own Python
#   libkoppel-dev   libraries, headers and koppelConfig.cmake
# What programs need at run time is read off their files by dpkg-shlibdeps.
find_program(KOPPEL_SHLIBDEPS dpkg-shlibdeps)
if(NOT KOPPEL_SHLIBDEPS OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# What projects that link the libraries need: where koppelConfig.cmake finds each of KOPPEL_PACKAGES.
set(debian_fmt libfmt-dev)
set(debian_Threads libc6-dev)
set(debian_yaml-cpp libyaml-cpp-dev)
set(debian_pugixml libpugixml-dev)
set(debian_Eigen3 libeigen3-dev)
set(debian_nlohmann_json nlohmann-json3-dev)
set(debian_KLU libsuitesparse-dev)
set(debian_SUNDIALS libsundials-dev)
set(debian_ZLIB zlib1g-dev)
set(debian_asmjit libasmjit-dev)
set(development)
foreach(package IN LISTS KOPPEL_PACKAGES)
  if(NOT debian_${package})
    message(FATAL_ERROR "KoppelPackage.cmake: which Debian package has ${package}?")
  endif()
  list(APPEND development ${debian_${package}})
endforeach()
list(JOIN development ", " development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME koppel)
set(CPACK_PACKAGE_VENDOR "The Koppel authors")
set(CPACK_PACKAGE_CONTACT "The Koppel authors <koppel@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library headers)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_LIBRARY_GROUP library)
set(CPACK_COMPONENT_HEADERS_GROUP library)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME koppel)
set(recommended gcc libc6-dev) # --native cc, export of FMUs
foreach(loaded ${LibZip_SONAME} ${SerialHDF5_SONAME} ${NLopt_SONAME} ${Ceres_SONAME}) # at run time, where dpkg-shlibdeps does not see it
  execute_process(COMMAND dpkg-query --search "*/${loaded}" OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:]+):")
    list(APPEND recommended ${CMAKE_MATCH_1})
  endif()
endforeach()
list(JOIN recommended ", " CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "The program koppel with its built-in models: multibody systems and Lagrangian models,
simulated, inverted, linearised and exported as C, FMU or WebAssembly.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libkoppel-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF) # static libraries only
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${development}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ${CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "koppel, cmake")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "Static libraries, headers and the CMake package of Koppel, for programs in C++20.")

# All are matched by koppel_*.deb, so that one apt command installs them; the first alone is enough for the program.
execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architecture})
set(suffix ${PROJECT_VERSION}_${architecture}.deb)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME koppel_${suffix})
set(CPACK_DEBIAN_LIBRARY_FILE_NAME koppel_library_${suffix})

install(FILES LICENSE RENAME copyright DESTINATION share/doc/koppel COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION share/doc/libkoppel-dev COMPONENT library)

set(needs koppel_app koppel_manual)
if(TARGET koppel_workbench)
  list(APPEND needs koppel_workbench)
endif()
if(TARGET koppel_python)
  list(APPEND needs koppel_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  install(FILES LICENSE RENAME copyright DESTINATION share/doc/python3-koppel COMPONENT python)
  set(CPACK_COMPONENT_PYTHON_GROUP python)
  set(CPACK_DEBIAN_PYTHON_FILE_NAME koppel_python_${suffix})
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-koppel)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  # A compiled module is for one minor version of Python.
  get_directory_property(minor DIRECTORY python DEFINITION Python_VERSION_MINOR)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${minor}), python3 (<< 3.${next}), python3-numpy")
  # Bytecode is made when the package is installed, and goes with it.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/postinst"
      "${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS ${CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS})
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas, python3-xarray")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "`import koppel`: models, runs and analyses in Python, with results as NumPy arrays.")
endif()

include(CPack)
add_custom_target(koppel_package
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${CPACK_PACKAGE_DIRECTORY}"
  COMMAND ${CMAKE_CPACK_COMMAND} --config "${PROJECT_BINARY_DIR}/CPackConfig.cmake"
  DEPENDS ${needs}
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" USES_TERMINAL VERBATIM)
