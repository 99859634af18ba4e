#include "apps/koppel/structure.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/at.hpp>
#include <koppel/equations/leave_out.hpp>

#include "apps/koppel/print_line.hpp"

namespace koppel::app {
namespace {

StructureFindings find_one(const Shared<Equations>& e, const Examination& found, bool is_servo) {
  StructureFindings out;
  out.is_servo = is_servo;
  out.dae = make_dae(leave_out(e, found.rank.redundant_rows), {.with_servo = is_servo});
  out.structure = analyze_structure(out.dae);
  out.index = is_servo ? *found.servo : found.forward;
  out.num_invariants = e->h.size();
  const bool is_start_singular = found.rank.is_singular() || found.rank.is_degenerate;
  if (out.structure.is_regular && found.start && !is_start_singular) {
    const Evaluator evaluator(e);
    out.regularity =
        check_regularity(out.dae, out.structure, make_point(out.dae, evaluator, found.start.state));
  }
  return out;
}

std::string derivative(const std::string& name, int order) {
  return order <= 3 ? name + std::string(at(order), '\'') : fmt::format("{}^({})", name, order);
}

// The values that the offsets ask for: x_j, …, x_j⁽ᵈʲ⁻¹⁾.
std::vector<std::string> values_needed(const StructureFindings& f) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < f.dae.unknowns.size(); ++j) {
    for (int k = 0; k < f.structure.d[j]; ++k) {
      out.push_back(derivative(f.dae.unknowns[j].name, k));
    }
  }
  return out;
}

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "none" : out;
}

std::vector<std::string> free_names(const Regularity& regularity) {
  std::vector<std::string> out;
  for (const FreeValue& value : regularity.free) out.push_back(value.name);
  return out;
}

constexpr std::size_t kWidestMatrix = 24;  // columns that fit on a page

std::size_t width_of_names(const StructureFindings& f) {
  std::size_t width = 8;
  for (const NamedExpr& row : f.dae.residuals) width = std::max(width, row.name.size());
  return std::min<std::size_t>(width, 28);
}

// Columns are numbered, their names follow below.
void print_matrix(const StructureFindings& f) {
  const Signature& s = f.structure.signature;
  const std::size_t num = f.dae.unknowns.size(), width = width_of_names(f);
  std::string head = fmt::format("    {:<{}}", "", width);
  for (std::size_t j = 0; j < num; ++j) head += fmt::format("{:>3} ", j + 1);
  std::puts((head + "    c").c_str());
  for (std::size_t i = 0; i < f.dae.residuals.size(); ++i) {
    std::vector<std::string> cells(num, ". ");
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
      const bool is_on = s.column[at(k)] == f.structure.transversal[i];
      cells[at(s.column[at(k)])] = std::to_string(s.order[at(k)]) + (is_on ? "*" : " ");
    }
    std::string line = fmt::format("    {:<{}}", f.dae.residuals[i].name, width);
    for (const std::string& cell : cells) {
      line += fmt::format("{:>4}", cell);
    }
    std::puts(fmt::format("{} {:>4}", line, f.structure.c[i]).c_str());
  }
  std::string offsets = fmt::format("    {:<{}}", "d", width);
  for (const int d : f.structure.d) offsets += fmt::format("{:>3} ", d);
  std::puts(offsets.c_str());
}

// One line for each equation, where a matrix would be too wide.
void print_rows(const StructureFindings& f) {
  const Signature& s = f.structure.signature;
  for (std::size_t i = 0; i < f.dae.residuals.size(); ++i) {
    std::string entries;
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
      const bool is_on = s.column[at(k)] == f.structure.transversal[i];
      entries += (entries.empty() ? "" : ", ") +
                 derivative(f.dae.unknowns[at(s.column[at(k)])].name, s.order[at(k)]) +
                 (is_on ? "*" : "");
    }
    std::puts(fmt::format("    {} (c = {}): {}", f.dae.residuals[i].name, f.structure.c[i], entries)
                  .c_str());
  }
}

std::string verdict(const StructureFindings& f) {
  if (!f.regularity) return "not looked at: the start is singular.";
  if (f.regularity->is_regular) return "regular at the start: the offsets are right.";
  return fmt::format(
      "singular at the start, rank {} of {}: the structure is misleading; index and freedoms come "
      "from ranks.",
      f.regularity->rank, f.dae.unknowns.size());
}

void print_one(const StructureFindings& f) {
  print_line(
      f.is_servo ? "servo" : "structure",
      fmt::format("{} equations for {} unknowns{}", f.dae.residuals.size(), f.dae.unknowns.size(),
                  f.is_servo ? ", inputs among them, outputs as prescribed" : ""));
  if (!f.structure.is_regular) {
    print_line("", f.structure.problem);
    return;
  }
  print_line("signature",
             "the order of the highest derivative of each unknown in each equation; * on the "
             "transversal; equation i is differentiated c times, unknown j occurs up to order d");
  if (f.dae.unknowns.size() <= kWidestMatrix) {
    print_matrix(f);
  } else {
    print_rows(f);
  }
  std::vector<std::string> unknowns;
  for (std::size_t j = 0; j < f.dae.unknowns.size(); ++j) {
    unknowns.push_back(f.dae.unknowns.size() <= kWidestMatrix
                           ? fmt::format("{} {}", j + 1, f.dae.unknowns[j].name)
                           : fmt::format("{} (d = {})", f.dae.unknowns[j].name, f.structure.d[j]));
  }
  print_line("unknowns", list(unknowns));
  print_line("Jacobian", verdict(f));
  print_line("initial", "values of " + list(values_needed(f)));
  if (!f.regularity || !f.regularity->is_regular) return;
  if (f.dae.unknowns.size() > 400) {
    print_line("", fmt::format("{} of them are free; which, is not listed for systems this large",
                               f.index.num_free));
    return;
  }
  const std::size_t num_free = f.regularity->free.size();
  print_line("free",
             num_free == 0
                 ? "none: all follow from the equations"
                 : list(free_names(*f.regularity)) +
                       (num_free < values_needed(f).size() ? "; the others follow from them" : ""));
  if (f.num_invariants > 0) {
    print_line("", fmt::format("less {}: invariants (norms of quaternions, angles counted beside "
                               "axes) hold them",
                               f.num_invariants));
  }
}

nlohmann::json json_of(const StructureFindings& f) {
  nlohmann::json out;
  const Signature& s = f.structure.signature;
  out["equations"] = nlohmann::json::array();
  for (std::size_t i = 0; i < f.dae.residuals.size(); ++i) {
    nlohmann::json row = {{"name", f.dae.residuals[i].name}, {"orders", nlohmann::json::object()}};
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
      row["orders"][f.dae.unknowns[at(s.column[at(k)])].name] = s.order[at(k)];
    }
    if (f.structure.is_regular) {
      row["c"] = f.structure.c[i];
      row["transversal"] = f.dae.unknowns[at(f.structure.transversal[i])].name;
    }
    out["equations"].push_back(row);
  }
  out["unknowns"] = nlohmann::json::array();
  for (std::size_t j = 0; j < f.dae.unknowns.size(); ++j) {
    nlohmann::json unknown = {{"name", f.dae.unknowns[j].name}};
    if (f.structure.is_regular) unknown["d"] = f.structure.d[j];
    out["unknowns"].push_back(unknown);
  }
  out["is_regular"] = f.structure.is_regular;
  out["problem"] = f.structure.problem;
  if (!f.structure.is_regular) return out;
  out["structural_index"] = f.structure.index;
  out["degrees_of_freedom"] = f.structure.degrees_of_freedom;
  out["invariants"] = f.num_invariants;
  out["needed"] = values_needed(f);
  if (f.regularity) {
    out["jacobian"] = {{"regular", f.regularity->is_regular}, {"rank", f.regularity->rank}};
    if (f.regularity->is_regular) out["free"] = free_names(*f.regularity);
  }
  return out;
}

}  // namespace

std::vector<StructureFindings> find_structure(const Shared<Equations>& equations,
                                              const Examination& found) {
  std::vector<StructureFindings> out;
  out.push_back(find_one(equations, found, false));
  if (found.servo) out.push_back(find_one(equations, found, true));
  return out;
}

void print(const std::vector<StructureFindings>& all) {
  for (const StructureFindings& one : all) print_one(one);
}

void add_to_json(const std::vector<StructureFindings>& all, nlohmann::json& out) {
  for (const StructureFindings& one : all) {
    out["structure"][one.is_servo ? "servo" : "forward"] = json_of(one);
  }
}

}  // namespace koppel::app
