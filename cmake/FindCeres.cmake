# Ceres Solver: CERES_INCLUDE_DIR, and Ceres_SONAME, the name under which programs load it (libceres.so.3). (The package of
# the distribution has a CMake file of its own, but that links the static library and all that it needs.)
find_path(CERES_INCLUDE_DIR ceres/ceres.h)
find_library(CERES_LIBRARY NAMES libceres.so ceres)
mark_as_advanced(CERES_INCLUDE_DIR CERES_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ceres REQUIRED_VARS CERES_LIBRARY CERES_INCLUDE_DIR)

if(Ceres_FOUND)
  include(KoppelSoname)
  koppel_soname(Ceres_SONAME "${CERES_LIBRARY}")
endif()
