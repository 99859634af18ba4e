# Which headers are public. Included by the installation itself, so that a new include needs no new configuration.
cmake_policy(VERSION 3.25)

# koppel_find_public_headers(<root> <variable>)
#
# The public headers below <root>: the umbrella <koppel/koppel.hpp> with all that it includes, directly or not, and
# the header of programs at the other side of a live channel, which is C. Headers that only sources include are private.
function(koppel_find_public_headers root variable)
  set(todo koppel/koppel.hpp koppel/live/peer.h)
  set(found ${todo})
  while(todo)
    list(POP_FRONT todo header)
    file(STRINGS "${root}/${header}" lines REGEX "^ *# *include *<koppel/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<(koppel/[^>]+)>.*" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND todo ${included})
        list(APPEND found ${included})
      endif()
    endforeach()
  endwhile()
  list(SORT found)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# koppel_install_public_headers(<root> <destination>): copies them, in their folders.
function(koppel_install_public_headers root destination)
  koppel_find_public_headers("${root}" headers)
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    file(INSTALL DESTINATION "${destination}/${folder}" TYPE FILE FILES "${root}/${header}")
  endforeach()
endfunction()
