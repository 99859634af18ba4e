# What the program says of itself: the manual page koppel(1), made from its help, and completions for shells.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET koppel_app)
  set(page "${PROJECT_BINARY_DIR}/share/man/man1/koppel.1")
  add_custom_command(OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/share/man/man1"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/man_page" $<TARGET_FILE:koppel_app> "${page}"
    DEPENDS koppel_app "${PROJECT_SOURCE_DIR}/tools/man_page" VERBATIM)
  install(FILES "${page}" DESTINATION share/man/man1 COMPONENT program OPTIONAL)
  set(completions)
  foreach(place bash:bash-completion/completions/koppel zsh:zsh/vendor-completions/_koppel
                fish:fish/vendor_completions.d/koppel.fish)
    string(REGEX MATCH "^([a-z]+):(.+)/([^/]+)$" place "${place}")
    set(shell ${CMAKE_MATCH_1})
    set(folder share/${CMAKE_MATCH_2})
    set(script "${PROJECT_BINARY_DIR}/${folder}/${CMAKE_MATCH_3}")
    add_custom_command(OUTPUT "${script}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/${folder}"
      COMMAND koppel_app completion ${shell} > "${script}"
      DEPENDS koppel_app VERBATIM)
    list(APPEND completions "${script}")
    install(FILES "${script}" DESTINATION ${folder} COMPONENT program OPTIONAL)
  endforeach()
  add_custom_target(koppel_manual ALL DEPENDS "${page}" ${completions})
endif()
