#include "apps/reference/python_methods.hpp"

#include <algorithm>
#include <cstddef>

#include <koppel/control/inverse_request.hpp>
#include <koppel/simulate/run_request.hpp>

#include "apps/koppel/analyses.hpp"

namespace koppel {
namespace {

struct Argument {
  std::string name, type, text;
};

struct PythonMethod {
  const char* name;
  const char* text;  // the docstring up to its arguments
  const char* rest;  // what follows them
  const char* result;
  const char* first;  // the option that may be given without its name; empty: none
  bool needs_first;
  OptionTable options;
  std::vector<Argument> more;  // that are no options of the operation itself
};

const char* python_type(const Option& option) {
  if (!option.info.python_type.empty()) return option.info.python_type.c_str();
  const auto type_of = [](const auto* value) -> const char* {
    using T = std::remove_cvref_t<decltype(*value)>;
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, std::vector<std::string>>) return "Sequence[str]";
    if constexpr (std::is_constructible_v<std::string, T>) return "Optional[str]";
    if constexpr (std::is_same_v<T, std::optional<std::string>>) return "Optional[str]";
    if constexpr (std::is_convertible_v<double, T> && !std::is_integral_v<T> &&
                  !std::is_same_v<T, std::optional<int>> &&
                  !std::is_same_v<T, std::optional<std::uint64_t>>) {
      return "Optional[float]";
    }
    return "Optional[int]";
  };
  // Of the type alone: nothing is read.
  alignas(std::max_align_t) static char nothing[1 << 16];
  return std::visit(type_of, option.member.in(static_cast<const void*>(nothing)));
}

// At 8 and 12 spaces, in lines up to 100 columns.
std::string wrapped(const std::string& text) {
  std::string out, line = "            ";
  bool is_first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!is_first && line.size() + 1 + word.size() > 100) {
      out += line + '\n';
      line = "                " + word;
    } else {
      line += (is_first ? "" : " ") + word;
    }
    is_first = false;
    begin = end + 1;
  }
  return out + line + '\n';
}

std::string described(const Option& option) {
  const OptionInfo& info = option.info;
  std::string text = info.text;
  for (std::size_t i = 0; (i = text.find("--", i)) != text.npos;) text.erase(i, 2);
  // "Coordinates: absolute, …" of `coordinates`.
  const std::size_t colon = text.find(": ");
  if (colon == info.name.size() &&
      std::equal(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(colon),
                 info.name.begin() + 1)) {
    text.erase(0, colon + 2);
  }
  if (!info.unit.empty()) text += ", " + info.unit;
  if (!info.unless_given.empty()) text += " (default: " + info.unless_given + ")";
  return info.name + ": " + text;
}

std::string method_text(const PythonMethod& method) {
  std::string arguments, documented;
  const auto add = [&](const Option& option, bool is_needed) {
    const std::string type = is_needed ? "float" : python_type(option);
    arguments += "        " + option.info.name + ": " + type;
    arguments += is_needed ? ",\n" : type == "bool" ? " = False,\n" : " = None,\n";
    documented += wrapped(described(option));
  };
  if (*method.first != '\0') add(option_named(method.options, method.first), method.needs_first);
  arguments += "        *,\n";
  for (const Option& option : method.options) {
    if (option.info.name != method.first) add(option, false);
  }
  for (const Argument& argument : method.more) {
    arguments += "        " + argument.name + ": " + argument.type + " = None,\n";
    documented += wrapped(argument.name + ": " + argument.text);
  }
  const std::string name = method.name, result = method.result;
  return "\n    def " + name + "(\n        self,\n" + arguments + "    ) -> " + result +
         ":\n        \"\"\"" + method.text + "\n\n        Args:\n" + documented + method.rest +
         "        \"\"\"\n        return self._" + name +
         "({key: value for key, value in locals().items() if key != \"self\"})\n";
}

struct CheckArguments {
  std::string coordinates = {};
  app::AnalysisRequest request = {};
};

struct BudgetArguments {
  std::string coordinates = {};
  MethodRequest method = {};
};

}  // namespace

std::string python_methods() {
  const Argument progress = {"progress", "Progress",
                             "True shows a bar; or called with the time reached and the end, False "
                             "stops the run"};
  const PythonMethod simulate = {
      "simulate",
      "The motion from the start on.",
      "\n        Raises:\n"
      "            Error: the model or an option is wrong\n"
      "            Failed: the run did not come to its end; what was reached is in its ``run``\n"
      "            Interrupted: by Ctrl-C; likewise\n\n"
      "        A result that should not be trusted is warned of (:class:`Doubtful`). The times of "
      "rows may be a list:\n        ``samples=[0, 0.5, 2]``.\n",
      "Run",
      "end",
      false,
      RunRequest::options(),
      {{"tol", "Optional[float]", "short for tolerance"}, progress}};
  const PythonMethod inverse = {
      "inverse",
      "The inputs that make the outputs follow their references (``servo``).",
      "",
      "Run",
      "end",
      false,
      InverseRequest::options(),
      {{"feedback", "Optional[str]", "simulate with tracking feedback too: 'lqr' or 'pd'"},
       {"plant", "Optional[Dict[str, float]]",
        "parameters of the mechanism that are different from what the inputs were computed for"},
       {"disturb", "Optional[Dict[str, float]]",
        "changes of the start; the errors are in ``run.summary[\"feedback\"]``"},
       progress}};
  const PythonMethod check = {
      "check",
      "What the model consists of, its freedoms and index, redundant constraints and its start; "
      "on\n"
      "        request its static equilibrium, its modes and its motion.\n\n"
      "        >>> import koppel\n        >>> koppel.load(\"slider_crank\").check().dof\n        1",
      "",
      "Check",
      "",
      false,
      OptionTable{coordinates_option(&CheckArguments::coordinates)} +
          within(&CheckArguments::request),
      {}};
  const PythonMethod budget = {
      "budget",
      "What a fixed-cost step costs, and which steps are stable, before anything runs.",
      "",
      "Budget",
      "step",
      true,
      OptionTable{coordinates_option(&BudgetArguments::coordinates)} +
          within(&BudgetArguments::method),
      {}};
  const auto hook = [](const PythonMethod& method) {
    return std::string("\n    def _") + method.name + "(self, given: Dict[str, Any]) -> " +
           method.result + ":\n        raise NotImplementedError\n";
  };
  return "\"\"\"The methods of Model that run it, with the options of the program's own tables. "
         "Written by koppel_reference.\"\"\"\n\n"
         "from __future__ import annotations\n\n"
         "from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Sequence, Union\n\n"
         "if TYPE_CHECKING:\n    from ._reports import Budget, Check\n    from ._run import Run\n\n"
         "Progress = Union[bool, Callable[[float, float], Any], None]\n\n\n"
         "class OperationMethods:\n    \"\"\"Runs, forward and inverse, and what is asked beside "
         "them.\"\"\"\n" +
         hook(simulate) + hook(inverse) + hook(check) + hook(budget) + method_text(simulate) +
         method_text(inverse) + method_text(check) + method_text(budget);
}

}  // namespace koppel
