# cmake -D SOURCE_DIR= -D VERSION= -D LEFT_OUT= -D OUTPUT= -P write_version.cmake
# Writes version.cpp; leaves the file alone when nothing changed.
set(COMMIT unknown)
list(JOIN LEFT_OUT ", " LEFT_OUT)
if(EXISTS "${SOURCE_DIR}/.git")
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND "${GIT}" rev-parse --short=7 HEAD
                    WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE status
                    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(COMMIT "${output}")
    endif()
  endif()
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
