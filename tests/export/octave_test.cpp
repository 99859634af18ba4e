// What is written for MATLAB and Octave, run by Octave.
#include <koppel/export/octave.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/report.hpp>

#include "tests/error_of.hpp"
#include "tests/files.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::built_in;
using testing::kEps;
using testing::near;
using testing::TemporaryFolder;
using testing::text_of;
namespace fs = std::filesystem;
using Exprs = std::vector<Expr>;

bool has_octave() { return std::system("command -v octave-cli >/dev/null") == 0; }

void write_all(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) write_text(folder / name, text);
}

// Runs a file of the folder; what is printed goes to `out` and `err`.
int run_octave(const fs::path& folder, const std::string& file) {
  return std::system(("cd '" + folder.string() + "' && octave-cli --norc --quiet " + file +
                      " >out 2>err </dev/null")
                         .c_str());
}

// A term as the library has it: all entries, column by column.
struct Known {
  std::vector<double> values;
  int rows = 0, columns = 0;
};

class Reference {
 public:
  Reference(const Model& model, const std::string& coordinates)
      : e_(derive(model, coordinates)), state_(start_of(e_)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> by(-0.2, 0.2);
    state_.t = 0.3;
    for (auto* part : {&state_.q, &state_.v, &state_.x, &state_.u}) {
      for (double& value : *part) value += by(random);
    }
    for (std::size_t i = 0; i < std::max(e_.num_v(), e_.num_rows()); ++i) {
      w_.push_back(e_.graph->symbol("test.w" + std::to_string(i)));
      w_value_.push_back(by(random));
    }
  }

  // All terms by the names of their functions. f, r: where forces do not depend on reactions.
  std::map<std::string, Known> terms() const {
    std::map<std::string, Known> out;
    const Exprs alpha = rate_of(e_, sum(multiply(e_.a, e_.v), e_.b));
    for (const auto& [name, values] : std::map<std::string, Exprs>{{"f", e_.f},
                                                                   {"g", e_.g},
                                                                   {"g_t", e_.g_t},
                                                                   {"gamma", e_.gamma},
                                                                   {"b", e_.b},
                                                                   {"alpha", alpha},
                                                                   {"h", e_.h},
                                                                   {"r", e_.r}}) {
      out[name] = column(values);
    }
    for (const auto& [name, A] :
         std::map<std::string, SparseExpr>{{"M", *e_.M}, {"K", e_.K}, {"G", e_.G}, {"a", e_.a}}) {
      out[name] = matrix(A);
    }
    for (const auto& [by, symbols] :
         std::map<std::string, Exprs>{{"q", e_.q}, {"v", e_.v}, {"x", e_.x}, {"u", e_.u}}) {
      out["f_" + by] = matrix(jacobian(e_.f, symbols));
      out["r_" + by] = matrix(jacobian(e_.r, symbols));
    }
    out["g_q"] = matrix(jacobian(e_.g, e_.q));
    out["h_q"] = matrix(jacobian(e_.h, e_.q));
    return out;
  }
  // Those of a product with w.
  std::map<std::string, Known> products() const {
    const auto of = [&](const Exprs& product) { return matrix(jacobian(product, e_.q)); };
    return {{"M_q", of(multiply(*e_.M, first(e_.num_v())))},
            {"G_q", of(multiply_transposed(e_.G, first(e_.num_g())))},
            {"a_q", of(multiply_transposed(e_.a, first(e_.num_a())))}};
  }

  const Equations& equations() const { return e_; }
  const State& state() const { return state_; }
  const std::vector<double>& w() const { return w_value_; }

 private:
  static Exprs sum(Exprs a, const Exprs& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Exprs first(std::size_t n) const {
    return {w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n)};
  }
  Known column(const Exprs& values) const {
    return {VectorFunction(e_, values)(state_), static_cast<int>(values.size()), 1};
  }
  Known matrix(const SparseExpr& A) const {
    const Matrix numbers = MatrixFunction(e_, A, w_)(state_, w_value_);
    Known out{{}, A.pattern.num_rows, A.pattern.num_columns};
    for (int j = 0; j < out.columns; ++j) {
      for (int i = 0; i < out.rows; ++i) out.values.push_back(numbers(i, j));
    }
    return out;
  }

  Equations e_;
  State state_;
  Exprs w_;
  std::vector<double> w_value_;
};

std::string octave_column(const std::vector<double>& values) {
  std::ostringstream out;
  out.precision(17);
  for (const double value : values) out << (out.tellp() > 0 ? "; " : "") << value;
  return values.empty() ? "zeros(0, 1)" : '[' + out.str() + ']';
}

// The terms as Octave computes them, by name.
std::map<std::string, Known> octave_terms(const fs::path& folder, const Reference& reference) {
  const State& s = reference.state();
  std::string script =
      "1;\nfunction show(name, A)\n  printf('%s %d %d', name, rows(A), columns(A));\n"
      "  printf(' %.17g', A); printf('\\n');\nend\n";
  script += "p = m_parameters(); t = " + octave_column({s.t}) + ";\n";
  for (const auto& [name, values] : {std::pair{"q", s.q}, std::pair{"v", s.v}, std::pair{"x", s.x},
                                     std::pair{"u", s.u}, std::pair{"w", reference.w()}}) {
    script += std::string(name) + " = " + octave_column(values) + ";\n";
  }
  const auto ask = [&](const auto& terms, const std::string& arguments) {
    for (const auto& [name, known] : terms) {
      static_cast<void>(known);
      script += "show('" + name + "', m_" + name + '(' + arguments + "));\n";
    }
  };
  ask(reference.terms(), "t, q, v, x, u, p");
  ask(reference.products(), "t, q, v, x, u, p, w");
  write_text(folder / "ask.m", script);
  EXPECT_EQ(run_octave(folder, "ask.m"), 0) << text_of(folder / "err");
  std::map<std::string, Known> out;
  std::istringstream lines(text_of(folder / "out"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    Known term;
    fields >> name >> term.rows >> term.columns;
    for (std::string number; fields >> number;) {
      term.values.push_back(std::strtod(number.c_str(), nullptr));
    }
    out[name] = term;
  }
  return out;
}

class OctaveTerms : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Models, OctaveTerms,
    ::testing::Values(std::pair{"slider_crank", "absolute"}, std::pair{"slider_crank", "natural"},
                      std::pair{"slider_crank", "joint"}, std::pair{"andrews", "lagrange"},
                      std::pair{"heavy_top", "absolute"}, std::pair{"heavy_top", "directors"},
                      std::pair{"overhead_crane", "lagrange"},
                      std::pair{"vehicle_trailer", "joint"}, std::pair{"mass_on_car", "lagrange"},
                      std::pair{"rolling_disc", "absolute"}),
    [](const auto& suite) { return std::string(suite.param.first) + '_' + suite.param.second; });

TEST_P(OctaveTerms, AreThoseOfTheLibrary) {
  if (!has_octave()) GTEST_SKIP() << "octave-cli is not installed";
  const Model model = built_in(GetParam().first);
  SimulateOptions options = options_of(model);
  options.coordinates = GetParam().second;
  const TemporaryFolder folder;
  write_all(folder.path(), write_octave(model, options, "m"));
  const Reference reference(model, GetParam().second);
  const std::map<std::string, Known> found = octave_terms(folder.path(), reference);
  std::map<std::string, Known> expected = reference.terms();
  expected.merge(reference.products());
  for (const auto& [name, known] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    const Known& term = found.at(name);
    EXPECT_EQ(term.rows, known.rows) << name;
    EXPECT_EQ(term.columns, known.columns) << name;
    ASSERT_EQ(term.values.size(), known.values.size()) << name;
    double scale = 0;
    for (const double value : known.values) scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < known.values.size(); ++i) {
      EXPECT_TRUE(near(term.values[i], known.values[i],
                       {.relative = 500 * kEps,
                        .scale = scale,
                        .because = "sums and powers are in another order"}))
          << name << " entry " << i;
    }
  }
}

TEST(OctaveRun, SimulatesTheSliderCrank) {
  if (!has_octave()) GTEST_SKIP() << "octave-cli is not installed";
  const Model model = built_in("slider_crank");
  for (const char* coordinates : {"absolute", "joint"}) {
    SimulateOptions options = options_of(model);
    options.coordinates = coordinates;
    options.end = 1;
    options.sampling.count = 11;
    options.tolerance = 1e-10;
    const TemporaryFolder folder;
    write_all(folder.path(), write_octave(model, options, "crank"));
    ASSERT_EQ(run_octave(folder.path(), "crank_run.m"), 0) << text_of(folder.path() / "err");
    const Simulation simulation = simulate(model, options);
    std::istringstream lines(text_of(folder.path() / "crank.csv"));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "t,Ax,Ay,Bx,Ax',Ay',Bx'");
    std::size_t row = 0;
    for (; std::getline(lines, line); ++row) {
      std::istringstream fields(line);
      std::string field;
      for (const char* name : {"t", "Ax", "Ay", "Bx", "Ax'", "Ay'", "Bx'"}) {
        std::getline(fields, field, ',');
        // ode45 keeps the error of a step below 1e-10; it grows by passing the dead centres.
        EXPECT_NEAR(std::strtod(field.c_str(), nullptr), simulation.trajectory[name][row], 2e-7)
            << coordinates << ' ' << name << ' ' << row;
      }
    }
    EXPECT_EQ(row, 11u);
  }
}

TEST(OctaveRun, FindsAConsistentStartForOtherParameters) {
  if (!has_octave()) GTEST_SKIP() << "octave-cli is not installed";
  const Model model = built_in("slider_crank");
  SimulateOptions options = options_of(model);
  options.coordinates = "absolute";
  const TemporaryFolder folder;
  write_all(folder.path(), write_octave(model, options, "m"));
  write_text(folder.path() / "ask.m",
             "p = m_parameters(); p.b = 1.2;\n[t, q, v, x, u] = m_start(p);\n"
             "y = m_outputs(t, q, v, x, u, p);\n"
             "printf('%.17g', hypot(y(3) - y(1), y(2)));\n");
  ASSERT_EQ(run_octave(folder.path(), "ask.m"), 0) << text_of(folder.path() / "err");
  EXPECT_NEAR(std::strtod(text_of(folder.path() / "out").c_str(), nullptr), 1.2, 1e-12);
}

// Every operation, tables and their derivatives, powers of powers.
TEST(OctaveListing, KnowsEveryOperation) {
  if (!has_octave()) GTEST_SKIP() << "octave-cli is not installed";
  Graph graph;
  const Exprs variables = {graph.symbol("end"), graph.symbol("crane.y'"), graph.symbol("c1")};
  const double points[] = {-1, 0, 0.5, 2}, values[] = {3, -1, 0.25, 4};
  graph.add_table("road.profile", TableData::spline(points, values));
  graph.add_table("path", TableData::linear(points, values));
  graph.add_table("steps", TableData::held(points, values));
  const Scope scope{.names = {{"x", variables[0]}, {"y", variables[1]}, {"z", variables[2]}}};
  Exprs expressions;
  for (const char* text : {"2^x^y",
                           "(2^x)^y",
                           "-x^2",
                           "(-x)^2",
                           "x^-2",
                           "x^-y",
                           "x^(-y^2)",
                           "-(x*y)/(-z)",
                           "x - (y - z)",
                           "x/(y/z)",
                           "x/y*z",
                           "2*(x*y)",
                           "-2*x*-y",
                           "exp(-y)*tanh(x)",
                           "log(2 + y)^3",
                           "atan2(x, -1 - y)",
                           "abs(x - y)*sign(y - x)",
                           "asin(x/2)*acos(y/2)",
                           "atan(sqrt(1 + y^2))",
                           "sinh(y)*cosh(x)/tan(1 + y)",
                           "min(x, y) - max(z, -y)",
                           "select(x < y, sin(z), cos(z))",
                           "select(y <= x, 1, 2) + (x == x*y) + (x < y) - 3",
                           "pi*x - 1e-300*y + 1e22",
                           "road.profile(x) + road.profile'(y)*road.profile''(z)",
                           "road.profile'''(x)",
                           "road.profile(x - 5) + road.profile(x + 5)",
                           "path(x) + path'(y - 3)",
                           "steps(x)*steps(y + 7) - steps(z - 9)",
                           "x^64*y^65",
                           "(x + y)*(x + y) + sqrt(x + y) - (x + y)*z"}) {
    expressions.push_back(parse(graph, text, scope));
  }
  std::vector<NamedExpr> named;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    named.push_back({"r(" + std::to_string(i + 1) + ")", expressions[i]});
  }
  std::string script = "end_ = 0.7; d_y = 0.4; c1 = 1.3;\n";
  const std::unordered_map<std::string, std::string> names = {
      {"road.profile", "road"}, {"path", "path_"}, {"steps", "steps"}};
  for (const Program::NamedTable& table : lower(variables, expressions).tables) {
    const auto all = table.data.data();
    const std::string& name = names.at(table.name);
    script += name + ".x = " + octave_column({all.begin(), all.begin() + 4}) + ";\n" + name +
              ".c = reshape(" + octave_column({all.begin() + 4, all.end()}) + ", 4, [])';\n";
  }
  script += to_listing(
      named, {.notation = Notation::Matlab,
              .symbols = {{"end_", variables[0]}, {"d_y", variables[1]}, {"c1", variables[2]}},
              .tables = names});
  script += "printf('%.17g\\n', r);\n";
  const TemporaryFolder folder;
  const Model model = built_in("pendulum");
  const auto files = write_octave(model, options_of(model));
  for (const char* name : {"koppel_select.m", "koppel_table.m"}) {
    write_text(folder.path() / name, files.at(name));
  }
  write_text(folder.path() / "ask.m", script);
  ASSERT_EQ(run_octave(folder.path(), "ask.m"), 0) << text_of(folder.path() / "err") << script;
  const Function function(variables, expressions);
  const std::vector<double> expected = function({0.7, 0.4, 1.3});
  std::istringstream lines(text_of(folder.path() / "out"));
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(near(std::strtod(line.c_str(), nullptr), expected[i],
                     {.relative = 200 * kEps, .because = "powers of 65 by products or by pow"}))
        << to_text(expressions[i]);
  }
}

TEST(OctaveFiles, HaveOneFunctionForEachTerm) {
  const Model model = built_in("slider_crank");
  SimulateOptions options = options_of(model);
  options.coordinates = "joint";
  const auto files = write_octave(model, options, "sc");
  EXPECT_EQ(files.at("sc_K.m"),
            "function out = sc_K(t, q, v, x, u, p)\n"
            "% The rates of positions: q' = K v.\n"
            "out = zeros(2, 2);\nout(1, 1) = 1;\nout(2, 2) = 1;\nend\n");
  EXPECT_EQ(files.at("sc_rows.m"),
            "function kept = sc_rows()\n"
            "% The rows of [g; a] that do not repeat others.\nkept = [1];\nend\n");
}

std::string error_of(const std::string& text) {
  const Model model = read_model_text(text, "model.yaml");
  return testing::error_of([&] { write_octave(model, options_of(model)); });
}

TEST(OctaveFiles, AreNotWrittenForModelsWithEvents) {
  EXPECT_EQ(
      error_of("name: ball\ndimension: 2\ngravity: [0, -9.81]\n"
               "bodies: {ball: {mass: 1, inertia: 0.004, position: [0, 1]}}\n"
               "events:\n  floor: {when: ball.y, bounce: 0.8}\n"),
      "error[export.has-events]: model 'ball' has events ('floor'), and exported code does not "
      "watch for them.\n  Export an FMU, which has them; leave out `events`; or run the model with "
      "`simulate`.");
}

}  // namespace
}  // namespace koppel
