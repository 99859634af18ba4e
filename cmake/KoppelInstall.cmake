# find_package(koppel) gives koppel::koppel and one koppel::<folder> each.

include(CMakePackageConfigHelpers)

set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/koppel)
set(config "${CMAKE_CURRENT_BINARY_DIR}/koppelConfig.cmake")
set(config_version "${CMAKE_CURRENT_BINARY_DIR}/koppelConfigVersion.cmake")

list(TRANSFORM KOPPEL_PACKAGES REPLACE "(.+)" "find_dependency(\\1)"
     OUTPUT_VARIABLE KOPPEL_DEPENDENCIES)
list(JOIN KOPPEL_DEPENDENCIES "\n" KOPPEL_DEPENDENCIES)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/koppelConfig.cmake.in" "${config}"
                              INSTALL_DESTINATION ${destination})
write_basic_package_version_file("${config_version}" COMPATIBILITY SameMinorVersion)

install(EXPORT koppel FILE koppelTargets.cmake NAMESPACE koppel:: DESTINATION ${destination} COMPONENT library)
install(FILES "${config}" "${config_version}" "${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake"
        DESTINATION ${destination} COMPONENT library)

install(CODE "include(\"${PROJECT_SOURCE_DIR}/cmake/KoppelPublicHeaders.cmake\")
koppel_install_public_headers(\"${PROJECT_SOURCE_DIR}\"
                              \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")"
        COMPONENT headers)
