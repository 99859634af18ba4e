// The C of koppel/runtime as words, and where its functions and structs are. See c_to_wasm.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace koppel::wasm {

struct CSource {
  struct Variable {
    std::string type, name;
  };
  struct Function {
    std::string type;  // of what it returns
    std::vector<Variable> parameters;
    std::size_t begin = 0;  // the first word of its body
    bool is_inline = true;
  };
  std::vector<std::string> words;
  std::map<std::string, Function> functions;
  std::map<std::string, std::vector<Variable>> structs;
};

// Comments and directives are left out; of conditions, the part without any macro.
CSource read_c(std::string_view text);

}  // namespace koppel::wasm
