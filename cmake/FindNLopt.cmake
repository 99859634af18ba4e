# NLopt by its C interface: NLOPT_INCLUDE_DIR, and NLopt_SONAME, the name under which programs load it (libnlopt.so.0).
find_path(NLOPT_INCLUDE_DIR nlopt.h)
find_library(NLOPT_LIBRARY nlopt)
mark_as_advanced(NLOPT_INCLUDE_DIR NLOPT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NLopt REQUIRED_VARS NLOPT_LIBRARY NLOPT_INCLUDE_DIR)

if(NLopt_FOUND)
  include(KoppelSoname)
  koppel_soname(NLopt_SONAME "${NLOPT_LIBRARY}")
endif()
