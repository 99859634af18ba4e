// Methods of Python whose arguments are the options of an operation.
#pragma once

#include <string>

namespace koppel {

// The text of python/koppel/_operation_methods.py.
std::string python_methods();

}  // namespace koppel
