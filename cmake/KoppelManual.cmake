# The manual page koppel(1), made from the program's help.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET koppel_app)
  set(page "${PROJECT_BINARY_DIR}/share/man/man1/koppel.1")
  add_custom_command(OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/share/man/man1"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/man_page" $<TARGET_FILE:koppel_app> "${page}"
    DEPENDS koppel_app "${PROJECT_SOURCE_DIR}/tools/man_page" VERBATIM)
  add_custom_target(koppel_manual ALL DEPENDS "${page}")
  install(FILES "${page}" DESTINATION share/man/man1 OPTIONAL)
endif()
