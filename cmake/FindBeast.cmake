# Boost.Beast, which is headers only: BEAST_INCLUDE_DIR.
find_path(BEAST_INCLUDE_DIR boost/beast.hpp)
mark_as_advanced(BEAST_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Beast REQUIRED_VARS BEAST_INCLUDE_DIR)
