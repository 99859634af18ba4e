// koppel expr: an expression read, differentiated, simplified, evaluated and printed.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/simplify.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/series.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>

#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

struct ExprOptions {
  std::string text;
  std::vector<std::string> derivatives;
  std::vector<std::string> settings;
  std::string form = "text";
  std::string series_in;
  int order = 8;
  bool simplify = false;

  static const OptionTable& options();
};

const OptionTable& ExprOptions::options() {
  using O = ExprOptions;
  static const OptionTable kOptions = {
      {{.name = "expression",
        .text = "Such as 'k*sin(x)'. Put -- before one that begins with a minus sign",
        .typed = "EXPRESSION",
        .is_required = true},
       &O::text},
      {{.name = "diff",
        .text = "Differentiate with respect to this symbol; may be repeated",
        .value = "NAME"},
       &O::derivatives},
      {{.name = "simplify", .text = "Collect, cancel and factor terms"}, &O::simplify},
      {{.name = "set",
        .text = "Give a symbol a value; when all have one, print the value",
        .value = "NAME=VALUE"},
       &O::settings},
      {{.name = "series",
        .text = "Print the Taylor coefficients in this symbol about its value (or 0)",
        .value = "NAME"},
       &O::series_in},
      {{.name = "order",
        .text = "Highest order of --series, up to 40",
        .value = "N",
        .unless_given = "8",
        .max = Series::kMaxOrder},
       &O::order},
      {{.name = "as",
        .text = "Notation to print",
        .value = "text|latex|c",
        .unless_given = "text",
        .words = {"text", "latex", "c"}},
       &O::form}};
  return kOptions;
}

// Values for symbols, from name=value.
struct Setting {
  Expr symbol;
  double value;
};

Setting read_setting(Graph& graph, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = std::string_view(text).substr(0, equals);
  if (equals == std::string::npos || !is_valid_name(name)) {
    throw Error("arguments.wrong", "--set '" + text + "' is not of the form name=value.");
  }
  const Expr value = parse(graph, text.substr(equals + 1));
  if (!value.is_constant()) {
    throw Error("arguments.wrong", "the value in --set '" + text + "' is not a number.");
  }
  return {graph.symbol(name), value.value()};
}

Expr find_symbol(Graph& graph, const std::string& name, const char* option) {
  const Expr* symbol = graph.find_symbol(name);
  if (symbol != nullptr) return *symbol;
  throw Error("arguments.wrong",
              std::string(option) + " names '" + name + "', which does not occur.");
}

std::string format(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void print_value(Expr e, const std::vector<Setting>& settings) {
  std::vector<Expr> inputs;
  std::vector<double> values;
  for (const Setting& setting : settings) {
    inputs.push_back(setting.symbol);
    values.push_back(setting.value);
  }
  const Expr outputs[] = {e};
  const Function f(inputs, outputs);
  const double value = f(values)[0];
  if (!std::isfinite(value)) {
    throw Failure{ExitCode::kNumericsFailed, "error: " + f.diagnose(values).value_or("not finite")};
  }
  std::printf("%s\n", format(value).c_str());
}

// The coefficients of e in powers of t when one symbol moves as value + t.
void print_series(Graph& graph, Expr e, const ExprOptions& options,
                  const std::vector<Setting>& settings) {
  const Expr variable[] = {find_symbol(graph, options.series_in, "--series")};
  std::vector<Expr> parameters;
  std::vector<double> values;
  double start = 0;
  for (const Setting& setting : settings) {
    if (setting.symbol == variable[0]) {
      start = setting.value;
    } else {
      parameters.push_back(setting.symbol);
      values.push_back(setting.value);
    }
  }
  const Expr outputs[] = {e};
  const Series series(variable, parameters, outputs, options.order);
  SeriesWorkspace work = series.make_workspace();
  for (std::size_t i = 0; i < values.size(); ++i) work.parameter(i) = values[i];
  work.variable(0)[0] = start;
  if (options.order > 0) work.variable(0)[1] = 1;
  for (int k = 0; k <= options.order; ++k) {
    series.evaluate(k, work);
    const double c = work.output(0)[static_cast<std::size_t>(k)];
    if (!std::isfinite(c)) {
      throw Failure{ExitCode::kNumericsFailed,
                    "error: coefficient " + std::to_string(k) + " is not a finite number."};
    }
    std::printf("%s\n", format(c).c_str());
  }
}

void print_form(Expr e, const std::string& form) {
  if (form == "c") {
    const Expr outputs[] = {e};
    const Program program = lower(symbols_of(e), outputs);
    std::printf("%s\n%s", emit_c_prelude().c_str(), emit_c(program, "evaluate").source.c_str());
  } else {
    std::printf("%s\n", (form == "latex" ? to_latex(e) : to_text(e)).c_str());
  }
}

void print_expression(const ExprOptions& options) {
  Graph graph;
  Expr e = parse(graph, options.text, {.names = {}, .make_symbols = true});
  for (const std::string& name : options.derivatives) {
    e = diff(e, find_symbol(graph, name, "--diff"));
  }
  if (options.simplify) e = simplify(e);
  std::vector<Setting> settings;
  for (const std::string& text : options.settings) settings.push_back(read_setting(graph, text));
  if (!options.series_in.empty()) {
    print_series(graph, e, options, settings);
  } else if (!settings.empty() || (e.is_constant() && options.form == "text")) {
    print_value(e, settings);
  } else {
    print_form(e, options.form);
  }
}

}  // namespace

Command expr_command() {
  return CommandOf<print_expression>::make(
      "expr", "Differentiate, simplify, evaluate or print an expression",
      "Example:\n  koppel expr 'x^3*exp(-x)' --diff x --simplify");
}

}  // namespace koppel::app
