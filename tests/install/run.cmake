# Installs the build to a fresh prefix, then configures, builds and runs a project that knows
# Koppel only through find_package, and the examples in the same way.
set(prefix "${WORK_DIR}/prefix")
set(consumer "${WORK_DIR}/consumer")
file(REMOVE_RECURSE "${WORK_DIR}")
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${consumer}" -G "${GENERATOR}"
    -D "CMAKE_CXX_COMPILER=${CXX}" -D "CMAKE_CXX_FLAGS=${flags}" -D CMAKE_BUILD_TYPE=Release
    -D "CMAKE_PREFIX_PATH=${prefix}" -D "EXAMPLES_DIR=${EXAMPLES_DIR}")
run("${CMAKE_COMMAND}" --build "${consumer}")
run("${consumer}/consumer")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${consumer}" --no-tests=error --output-on-failure)
run("${prefix}/bin/koppel" --version)
run("${prefix}/bin/koppel" models)
run("${prefix}/bin/koppel" check pendulum)
