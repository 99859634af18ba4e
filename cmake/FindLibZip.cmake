# libzip: the target LibZip::LibZip, and LibZip_SONAME, the name under which programs load it (libzip.so.4). (The package of the distribution has a CMake file of its own, but
# that asks for programs which are in other packages.)
find_path(LIBZIP_INCLUDE_DIR zip.h)
find_library(LIBZIP_LIBRARY zip)
mark_as_advanced(LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)

if(LibZip_FOUND)
  include(KoppelSoname)
  koppel_soname(LibZip_SONAME "${LIBZIP_LIBRARY}")
endif()

if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip UNKNOWN IMPORTED)
  set_target_properties(LibZip::LibZip PROPERTIES
    IMPORTED_LOCATION "${LIBZIP_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LIBZIP_INCLUDE_DIR}")
endif()
