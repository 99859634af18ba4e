// koppel equations: the symbolic equations of a model, or the kinematics of its bodies, with common
// parts named.

#include <fmt/format.h>
#include <cstdio>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/point_kinematics.hpp>
#include <koppel/expr/algebra/simplify.hpp>
#include <koppel/expr/text/print.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/model_options.hpp"

namespace koppel::app {
namespace {

std::string names(const std::vector<Expr>& symbols) {
  std::string out;
  for (const Expr& e : symbols) out += (out.empty() ? "" : ", ") + std::string(e.name());
  return out.empty() ? "none" : out;
}

void add_matrix(std::vector<NamedExpr>& lines, const char* name, const SparseExpr& matrix,
                bool upper_only) {
  for (int j = 0; j < matrix.pattern.num_columns; ++j) {
    for (int k = matrix.pattern.column_start[static_cast<std::size_t>(j)];
         k < matrix.pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      const int i = matrix.pattern.row[static_cast<std::size_t>(k)];
      if (upper_only && i > j) continue;
      lines.push_back(
          {std::string(name) + '[' + std::to_string(i + 1) + ',' + std::to_string(j + 1) + ']',
           matrix.values[static_cast<std::size_t>(k)]});
    }
  }
}

void add_vector(std::vector<NamedExpr>& lines, const char* name, const std::vector<Expr>& vector) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    lines.push_back({std::string(name) + '[' + std::to_string(i + 1) + ']', vector[i]});
  }
}

// For the reader's sake; the values are the same.
void simplify_values(std::vector<NamedExpr>& lines) {
  std::vector<Expr> values;
  for (const NamedExpr& line : lines) values.push_back(line.value);
  values = simplify(values);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].value = values[i];
}

bool is_identity(const SparseExpr& K) {
  if (K.pattern.num_rows != K.pattern.num_columns) return false;
  for (int j = 0; j < K.pattern.num_columns; ++j) {
    if (!K.at(j, j).is_constant(1)) return false;
  }
  return K.pattern.num_entries() == K.pattern.num_rows;
}

std::string list_of(std::vector<NamedExpr> lines, bool latex) {
  simplify_values(lines);
  ListingOptions listing;
  listing.notation = latex ? Notation::Latex : Notation::Text;
  return to_listing(lines, listing);
}

}  // namespace

std::string equations_text(const Model& model, const std::string& set, bool latex) {
  const Equations e = derive(model, set);
  std::vector<NamedExpr> lines;
  if (!is_identity(e.K)) add_matrix(lines, "K", e.K, false);
  add_matrix(lines, "M", *e.M, true);
  add_vector(lines, "f", e.f);
  add_vector(lines, "g", e.g);
  add_matrix(lines, "G", e.G, false);
  add_matrix(lines, "a", e.a, false);
  add_vector(lines, "b", e.b);
  add_vector(lines, "r", e.r);
  for (const NamedExpr& s : e.s) lines.push_back({"s." + s.name, s.value});
  std::string head;
  if (!latex) {
    head = fmt::format("# {} in {} coordinates\n", e.model, e.coordinates);
    head +=
        fmt::format("# q' = K v{},  M v' = f - G^T lambda,  0 = g{}\n",
                    is_identity(e.K) ? " with K = 1" : "", e.num_a() == 0 ? "" : ",  0 = a v + b");
    head += fmt::format("# q: {}\n# v: {}\n", names(e.q), names(e.v));
    if (!e.u.empty()) head += fmt::format("# u: {}\n", names(e.u));
    for (std::size_t i = 0; i < e.g.size(); ++i) {
      head += fmt::format("# g[{}]: {}\n", i + 1, e.rows[i].name);
    }
  }
  return head + list_of(std::move(lines), latex);
}

namespace {

// The components that there are: x and y in the plane, and z of what turns.
void add_components(std::vector<NamedExpr>& lines, const std::string& name, const Vec3e& value,
                    std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    lines.push_back({name + '.' + "xyz"[i], value[i]});
  }
}

void add_point(std::vector<NamedExpr>& lines, const std::string& body, const PointKinematics& p,
               std::size_t last) {
  const std::string name = p.name.empty() ? body : body + '.' + p.name;
  add_components(lines, name, p.position, 0, last);
  add_components(lines, name + ".v", p.velocity, 0, last);
  add_matrix(lines, (name + ".J").c_str(), p.jacobian, false);
}

void print_kinematics(const Model& model, const std::string& set, bool latex) {
  const ModelKinematics k = describe_kinematics(model, set);
  const std::size_t last = model.is_planar ? 2 : 3;
  std::vector<NamedExpr> lines;
  for (const BodyKinematics& body : k.bodies) {
    for (std::size_t i = 0; i < last; ++i) {
      for (std::size_t j = 0; j < last; ++j) {
        lines.push_back(
            {body.name + ".R[" + std::to_string(i + 1) + ',' + std::to_string(j + 1) + ']',
             body.axes(i, j)});
      }
    }
    add_components(lines, body.name + ".w", body.angular_velocity, model.is_planar ? 2 : 0, 3);
    add_matrix(lines, (body.name + ".Jw").c_str(), body.angular_jacobian, false);
    for (const PointKinematics& point : body.points) add_point(lines, body.name, point, last);
  }
  if (!latex) {
    std::printf("# kinematics of %s in %s coordinates, world axes\n", model.name.c_str(),
                k.coordinates.c_str());
    std::puts(
        "# B.R: axes of body B by columns, B.w: its angular velocity, B.Jw: its Jacobian, w = Jw v "
        "+ ...\n"
        "# B.x: origin of its frame, B.P.x: its point P, .v: velocity, .J: Jacobian, v = J v + "
        "dr/dt\n"
        "# entries of Jacobians that are not listed are 0");
    std::printf("# q: %s\n# v: %s\n", names(k.q).c_str(), names(k.v).c_str());
  }
  std::printf("%s", list_of(std::move(lines), latex).c_str());
}

}  // namespace

namespace {

struct EquationsOptions {
  ModelOptions model;
  bool latex = false, kinematics = false;

  static const OptionTable& options();
};

const OptionTable& EquationsOptions::options() {
  using O = EquationsOptions;
  static const OptionTable kOptions =
      within(&O::model) +
      OptionTable{{{.name = "latex", .text = "Print LaTeX"}, &O::latex},
                  {{.name = "kinematics",
                    .text = "Print positions, velocities and Jacobians of bodies and points "
                            "instead"},
                   &O::kinematics}};
  return kOptions;
}

void print_equations(const EquationsOptions& options) {
  const Model model = load(options.model);
  const std::string set = coordinates_of(options.model, model);
  if (options.kinematics) {
    print_kinematics(model, set, options.latex);
  } else {
    std::printf("%s", equations_text(model, set, options.latex).c_str());
  }
}

}  // namespace

Command equations_command() {
  return CommandOf<print_equations>::make(
      "equations", "Print a model's equations of motion",
      "Example:\n  koppel equations slider_crank --coordinates natural");
}

}  // namespace koppel::app
