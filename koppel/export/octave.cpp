#include <koppel/export/octave.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/export/names.hpp>
#include <koppel/export/octave_text.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/print.hpp>
#include <koppel/expr/text/writer.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// A term of the equations: a matrix, or a column.
struct Term {
  std::string name;   // of the function, behind the model's name
  std::string about;  // a line of comment
  int rows = 0, columns = 0;
  std::vector<NamedExpr> entries = {};  // out(i, j) = value
  bool has_factor = false;              // a further argument w
};

Term column(std::string name, std::string about, const Exprs& values) {
  Term term{std::move(name), std::move(about), static_cast<int>(values.size()), 1};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_constant(0)) {
      term.entries.push_back({fmt::format("out({})", i + 1), values[i]});
    }
  }
  return term;
}

Term matrix(std::string name, std::string about, const SparseExpr& A) {
  Term term{std::move(name), std::move(about), A.pattern.num_rows, A.pattern.num_columns};
  for (int j = 0; j < A.pattern.num_columns; ++j) {
    const auto c = static_cast<std::size_t>(j);
    for (int k = A.pattern.column_start[c]; k < A.pattern.column_start[c + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      term.entries.push_back(
          {fmt::format("out({}, {})", A.pattern.row[at] + 1, j + 1), A.values[at]});
    }
  }
  return term;
}

std::string numbers(std::span<const double> values, const char* separator) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : separator) + shortest(value);
  return out;
}

std::string column_of(std::span<const double> values) {
  return values.empty() ? "zeros(0, 1)" : '[' + numbers(values, "; ") + ']';
}

class Package {
 public:
  Package(const Model& model, const SimulateOptions& options, std::string name)
      : model_(model),
        options_(options),
        prepared_(prepare(model, options)),
        descriptor_(prepared_.descriptor),
        e_(prepared_.equations),
        name_(std::move(name)) {
    refuse_events(e_);
    name_variables();
  }

  std::map<std::string, std::string> write() {
    make_terms();
    for (const Term& term : terms_) add(term.name, function_of(term));
    add("parameters", parameters());
    add("start", start());
    add("split", split());
    add("rows", rows());
    const std::pair<const char*, const char*> fixed[] = {{"rates", kOctaveRatesText},
                                                         {"project", kOctaveProjectText},
                                                         {"simulate", kOctaveSimulateText},
                                                         {"run", kOctaveRunText}};
    for (const auto& [what, text] : fixed) add(what, fill_in(text));
    files_["koppel_select.m"] = kOctaveSelectText;
    files_["koppel_table.m"] = kOctaveTableText;
    return std::move(files_);
  }

 private:
  void add(const std::string& what, std::string text) {
    files_[fmt::format("{}_{}.m", name_, what)] = std::move(text);
  }

  // Every symbol has a variable, which functions take from their arguments.
  void name_variables() {
    Names names = Names::of_matlab();
    const auto all = [&](const Exprs& symbols, const char* vector) {
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        const std::string label(symbols[i].name());
        variables_.push_back({names.add(label), symbols[i]});
        sources_.push_back(vector == nullptr ? "p." + variables_.back().name
                                             : fmt::format("{}({})", vector, i + 1));
      }
    };
    all(e_.q, "q");
    all(e_.v, "v");
    all(e_.x, "x");
    all(e_.u, "u");
    first_parameter_ = variables_.size();
    all(e_.p, nullptr);
    num_own_ = variables_.size();
    const std::size_t most = std::max({e_.num_v(), e_.num_g(), e_.num_a()});
    for (std::size_t i = 0; i < most; ++i) {
      w_.push_back(e_.graph->symbol(fmt::format("export.w[{}]", i)));
    }
    all(w_, "w");
    for (const std::string& table : e_.graph->table_names()) table_names_[table] = names.add(table);
    variables_.push_back({"t", e_.t});
    sources_.push_back("t");
  }

  void make_terms() {
    add_constraints();
    terms_.push_back(matrix("M", "The mass matrix: M v' = f - [G; a]' lambda.", *e_.M));
    add_product("M_q", "The Jacobian of M w with respect to q.",
                multiply(*e_.M, first_w(e_.num_v())));
    terms_.push_back(column("f", "Forces.", e_.f));
    terms_.push_back(column("r", "The rates of further states: x' = r.", e_.r));
    add_jacobians("f", e_.f, {{"q", e_.q}, {"v", e_.v}, {"x", e_.x}, {"u", e_.u}});
    add_jacobians("r", e_.r, {{"q", e_.q}, {"v", e_.v}, {"x", e_.x}, {"u", e_.u}});
    Exprs values;
    for (const NamedExpr& output : e_.outputs) values.push_back(output.value);
    terms_.push_back(column("outputs", "Outputs; their names are in " + name_ + "_run.", values));
  }

  void add_constraints() {
    const Exprs alpha = rate_of(e_, sum(multiply(e_.a, e_.v), e_.b));
    terms_.push_back(matrix("K", "The rates of positions: q' = K v.", e_.K));
    terms_.push_back(column("g", "Constraints: g = 0.", e_.g));
    terms_.push_back(matrix("G", "The rates of constraints are G v + g_t, G = (dg/dq) K.", e_.G));
    terms_.push_back(column("g_t", "The rates of constraints are G v + g_t.", e_.g_t));
    terms_.push_back(
        column("gamma", "The second rates of constraints are G v' + gamma.", e_.gamma));
    terms_.push_back(matrix("a", "Nonholonomic constraints: a v + b = 0.", e_.a));
    terms_.push_back(column("b", "Nonholonomic constraints: a v + b = 0.", e_.b));
    terms_.push_back(column("alpha", "The rates of a v + b are a v' + alpha.", alpha));
    terms_.push_back(column("h", "Invariants, which hold along every motion: h = 0.", e_.h));
    add_jacobians("g", e_.g, {{"q", e_.q}});
    add_jacobians("h", e_.h, {{"q", e_.q}});
    add_product("G_q", "The Jacobian of G' w with respect to q.",
                multiply_transposed(e_.G, first_w(e_.num_g())));
    add_product("a_q", "The Jacobian of a' w with respect to q.",
                multiply_transposed(e_.a, first_w(e_.num_a())));
  }

  Exprs first_w(std::size_t n) const {
    return {w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n)};
  }

  static Exprs sum(Exprs a, const Exprs& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  void add_jacobians(const std::string& of, const Exprs& values,
                     std::initializer_list<std::pair<const char*, Exprs>> variables) {
    for (const auto& [by, symbols] : variables) {
      terms_.push_back(matrix(of + '_' + by,
                              fmt::format("The Jacobian of {} with respect to {}.", of, by),
                              jacobian(values, symbols)));
    }
  }

  void add_product(const std::string& name, const std::string& about, const Exprs& product) {
    Term term = matrix(name, about, jacobian(product, e_.q));
    term.has_factor = true;
    terms_.push_back(std::move(term));
  }

  std::string arguments(bool has_factor) const {
    return has_factor ? "(t, q, v, x, u, p, w)" : "(t, q, v, x, u, p)";
  }

  std::string head(const std::string& results, const std::string& what,
                   const std::string& parameters, const std::string& about) const {
    return fmt::format("function {}{}_{}{}\n% {}\n", results.empty() ? "" : results + " = ", name_,
                       what, parameters, about);
  }

  std::string function_of(const Term& term) {
    std::string out = head("out", term.name, arguments(term.has_factor), term.about);
    out += unpack(term);
    out += fmt::format("out = zeros({}, {});\n", term.rows, term.columns);
    out += to_listing(term.entries, {.notation = Notation::Matlab,
                                     .prefix = "c",
                                     .symbols = variables_,
                                     .tables = table_names_});
    return out + "end\n";
  }

  // Variables for the symbols and tables that occur.
  std::string unpack(const Term& term) {
    Exprs values, inputs;
    for (const NamedExpr& entry : term.entries) values.push_back(entry.value);
    std::set<NodeId> used;
    for (const Expr& symbol : symbols_of(values)) used.insert(symbol.id());
    std::string out;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (!used.contains(variables_[i].value.id())) continue;
      inputs.push_back(variables_[i].value);
      if (variables_[i].name != sources_[i]) {
        out += fmt::format("{} = {};\n", variables_[i].name, sources_[i]);
      }
    }
    for (const Program::NamedTable& table : lower(inputs, values).tables) {
      out += fmt::format("{} = {}_tables('{}');\n", table_names_[table.name], name_,
                         table_names_[table.name]);
      add_table(table);
    }
    return out;
  }

  // All tables of the model in one function, read once.
  void add_table(const Program::NamedTable& table) {
    const std::string& name = table_names_[table.name];
    if (!tables_.emplace(name, table.data).second) return;
    std::string out = head("table", "tables", "(name)", "Tables, for koppel_table.") +
                      "persistent tables\nif isempty(tables)\n";
    for (const auto& [label, data] : tables_) {
      const std::span<const double> all = data.data();
      const auto n = static_cast<std::size_t>(data.num_points());
      out += fmt::format("  tables.{}.x = {};\n  tables.{}.c = [ ...\n", label,
                         column_of(all.first(n)), label);
      for (std::size_t k = n; k < all.size(); k += 4) {
        out += "    " + numbers(all.subspan(k, 4), ", ") + "; ...\n";
      }
      out += "  ];\n";
    }
    add("tables", out + "end\ntable = tables.(name);\nend\n");
  }

  std::string parameters() const {
    std::string out =
        head("p", "parameters", "()", "The parameters of the model.") + "p = struct();\n";
    for (std::size_t i = first_parameter_; i < num_own_; ++i) {
      out +=
          fmt::format("{} = {};\n", sources_[i], shortest(prepared_.state.p[i - first_parameter_]));
    }
    return out + "end\n";
  }

  std::string start() const {
    const State& s = prepared_.state;
    return head("[t, q, v, x, u]", "start", "(p)",
                "The start, made consistent where parameters are not those of the model.") +
           fmt::format("t = {};\nq = {};\nv = {};\nx = {};\nu = {};\n", shortest(s.t),
                       column_of(s.q), column_of(s.v), column_of(s.x), column_of(s.u)) +
           fmt::format("[q, v] = {}_project(t, q, v, x, u, p);\nend\n", name_);
  }

  std::string split() const {
    const std::size_t n_q = e_.num_q(), n_v = e_.num_v();
    return head("[q, v, x]", "split", "(z)", "The parts of z = [q; v; x].") +
           fmt::format("q = z(1:{});\nv = z({}:{});\nx = z({}:{});\nend\n", n_q, n_q + 1, n_q + n_v,
                       n_q + n_v + 1, n_q + n_v + e_.x.size());
  }

  std::string rows() const {
    std::string list;
    for (const Equations::Row& row : descriptor_.equations->rows) {
      list += (list.empty() ? "" : ", ") + std::to_string(row.number + 1);
    }
    return head("kept", "rows", "()", "The rows of [g; a] that do not repeat others.") +
           fmt::format("kept = [{}];\nend\n", list);
  }

  // A file of koppel/export/octave with what is this model's.
  std::string fill_in(std::string text) const {
    std::string names;
    for (const NamedExpr& output : e_.outputs) {
      names +=
          fmt::format("{}'{}'", names.empty() ? "" : ", ", replace_all(output.name, "'", "''"));
    }
    std::string title =
        fmt::format("{}{}{}, in {} coordinates.", model_.name,
                    model_.description.empty() ? "" : ": ", model_.description, e_.coordinates);
    std::replace(title.begin(), title.end(), '\n', ' ');
    const std::pair<const char*, std::string> places[] = {
        {"MODEL_TITLE", title},
        {"MODEL_END", shortest(options_.end)},
        {"MODEL_SAMPLES", std::to_string(options_.sampling.count)},
        {"MODEL_TOLERANCE", shortest(options_.tolerance)},
        {"MODEL_NAMES", names},
        {"MODEL", name_}};
    for (const auto& [from, to] : places) text = replace_all(std::move(text), from, to);
    return text;
  }

  static std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  const Model& model_;
  const SimulateOptions& options_;
  Prepared prepared_;
  const Descriptor& descriptor_;
  const Equations& e_;
  std::string name_;
  std::vector<NamedExpr> variables_;  // names in the functions
  std::vector<std::string> sources_;  // where their values are
  std::size_t first_parameter_ = 0, num_own_ = 0;
  Exprs w_;
  std::unordered_map<std::string, std::string> table_names_;
  std::map<std::string, TableData> tables_;
  std::vector<Term> terms_;
  std::map<std::string, std::string> files_;
};

}  // namespace

std::map<std::string, std::string> write_octave(const Model& model, SimulateOptions options,
                                                std::string name) {
  options.formulation = "index1";  // the rates of which are the ones of the package
  options.integrator = "dop853";
  options.step.reset();
  if (name.empty()) name = c_identifier(model.name);
  if (name[0] == '_') name = 'x' + name;
  return Package(model, options, std::move(name)).write();
}

}  // namespace koppel
