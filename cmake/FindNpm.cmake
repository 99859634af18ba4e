# Node.js with npm, which make the pages anew and test them: KOPPEL_NODE and KOPPEL_NPM.
find_program(KOPPEL_NODE node)
find_program(KOPPEL_NPM npm)
mark_as_advanced(KOPPEL_NODE KOPPEL_NPM)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Npm REQUIRED_VARS KOPPEL_NODE KOPPEL_NPM)
