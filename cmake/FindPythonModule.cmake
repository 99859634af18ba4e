# What the Python module is made with: Python_EXECUTABLE, its headers and pybind11.

# For the interpreter that has NumPy: the first in the path, or else the system's.
if(NOT Python_EXECUTABLE)
  find_program(KOPPEL_PYTHON_PROGRAM python3)
  execute_process(COMMAND "${KOPPEL_PYTHON_PROGRAM}" -c "import numpy" RESULT_VARIABLE lacks_numpy OUTPUT_QUIET ERROR_QUIET)
  if(lacks_numpy)
    set(KOPPEL_PYTHON_PROGRAM /usr/bin/python3)
  endif()
  set(Python_EXECUTABLE "${KOPPEL_PYTHON_PROGRAM}" CACHE FILEPATH "The interpreter that the Python module is for")
endif()
find_package(Python COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 QUIET)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PythonModule REQUIRED_VARS Python_FOUND pybind11_FOUND)
