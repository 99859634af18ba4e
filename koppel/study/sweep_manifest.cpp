#include <koppel/study/sweep_manifest.hpp>

#include <bit>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/equations/derive.hpp>
#include <koppel/simulate/choose.hpp>
#include <koppel/version.hpp>

namespace koppel {
namespace {

using Json = nlohmann::ordered_json;

// FNV-1a in 128 bits.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

  std::string text() const {
    return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(value_ >> 64),
                       static_cast<std::uint64_t>(value_));
  }

 private:
  __extension__ using Wide = unsigned __int128;
  void add_byte(unsigned char byte) {
    constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
    value_ = (value_ ^ byte) * kPrime;
  }
  Wide value_ = (Wide{0x6c62272e07bb0142u} << 64) | 0x62b821756295c58du;
};

// Operands stand before what is made of them: the nodes in order say everything.
void add(const Graph& graph, Hash& hash) {
  for (std::size_t i = 0; i < graph.num_nodes(); ++i) {
    const Node& node = graph.node(static_cast<NodeId>(i));
    hash.add(static_cast<std::uint64_t>(node.op));
    if (node.op == Op::Symbol) {
      hash.add(graph.symbol_name(node));
    } else {
      for (const NodeId operand : node.operand) hash.add(std::uint64_t{operand});
    }
  }
  for (const std::string& name : graph.table_names()) {
    hash.add(name);
    for (const double value : graph.find_table(name)->data().data()) hash.add(value);
  }
}

// An expression of a graph that has been added.
void add(Expr e, Hash& hash) {
  hash.add(std::uint64_t{e.is_constant()});
  e.is_constant() ? hash.add(e.value()) : hash.add(std::uint64_t{e.id()});
}
void add(const std::vector<Expr>& list, Hash& hash) {
  hash.add(std::uint64_t{list.size()});
  for (const Expr& e : list) add(e, hash);
}

void add(const Equations::Event& event, Hash& hash) {
  hash.add(event.name);
  add(event.when, hash);
  hash.add(static_cast<std::uint64_t>(event.direction));
  hash.add(std::uint64_t{event.stops});
  hash.add(std::uint64_t{event.restitution.has_value()});
  add(event.restitution.value_or(0), hash);
  hash.add(std::uint64_t{event.changes.size()});
  for (const auto& [place, value] : event.changes) {
    hash.add(std::uint64_t{place});
    add(value, hash);
  }
  add(event.impulse_rates, hash);
  add(event.impulses, hash);
}

void add(const Equations::Tracking& tracking, Hash& hash) {
  hash.add(static_cast<std::uint64_t>(tracking.method));
  hash.add(std::uint64_t{tracking.compensates});
  add(tracking.outputs, hash);
  add(tracking.targets, hash);
  add({tracking.rho0, tracking.rho1, tracking.max_force, tracking.max_acceleration,
       tracking.max_speed, tracking.response, tracking.is_active},
      hash);
}

// What the expressions are: the same ones may be other outputs, or belong to other events.
void add(const Equations& e, Hash& hash) {
  for (const auto* rows : {&e.f, &e.g, &e.b, &e.r, &e.h}) add(*rows, hash);
  add(e.a.values, hash);
  for (const Equations::Output& output : e.outputs) {
    hash.add(output.name);
    add(output.value, hash);
  }
  for (const Equations::Event& event : e.events) add(event, hash);
  for (const Equations::Tracking& tracking : e.tracking) add(tracking, hash);
  for (const Equations::Wish& wish : e.wishes) {
    add(wish.residual, hash);
    hash.add(std::uint64_t{wish.is_rate});
    hash.add(std::uint64_t{wish.fixed});
  }
  for (const std::string& name : e.stiff) hash.add(name);
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

template <typename Items, typename Text>
std::string list_of(const Items& items, Text&& text) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(text(item));
  return out.dump();
}

}  // namespace

std::string fingerprint(const Model& model) {
  Hash hash;
  hash.add(model.name);
  for (const Parameter& parameter : model.parameters) {
    hash.add(parameter.symbol.name());
    hash.add(parameter.value);
  }
  const Equations equations = derive(model);
  add(*equations.graph, hash);
  add(equations, hash);
  for (const Joint& joint : model.joints) hash.add(std::uint64_t{joint.may_jump});
  for (const Constraint& constraint : model.constraints) {
    hash.add(std::uint64_t{constraint.may_jump});
  }
  for (const auto* values : {&equations.q_guess, &equations.v_guess, &equations.x_start}) {
    for (const double value : *values) hash.add(value);
  }
  return hash.text();
}

void add_run(const SimulateOptions& options, Manifest& out) {
  out.emplace_back("end", Json(options.end).dump());
  if (options.step) out.emplace_back("step", Json(*options.step).dump());
  out.emplace_back("tolerance", Json(options.tolerance).dump());  // of steps within a step, too
  const auto or_auto = [](const std::string& text) { return quoted(text.empty() ? "auto" : text); };
  out.emplace_back("coordinates", or_auto(options.coordinates));
  out.emplace_back("formulation", or_auto(options.formulation.text()));
  out.emplace_back("integrator", or_auto(options.integrator.text()));
  out.emplace_back("projection", quoted(std::string(name_of(options.projection))));
  out.emplace_back("baumgarte", Json(options.baumgarte).dump());
}

Manifest make_manifest(const Sweep& sweep) {
  const Model model = sweep.make_model({});
  const SimulateOptions options = sweep.options(model);
  const Design& design = sweep.samples.design();
  Manifest out;
  out.emplace_back("koppel", quoted(version()));
  out.emplace_back("commit", quoted(commit()));
  out.emplace_back("model", quoted(model.name));
  out.emplace_back("model_hash", quoted(fingerprint(model)));
  out.emplace_back("points", quoted(name_of(design.kind)));
  out.emplace_back("variants", Json(sweep.samples.size()).dump());
  if (design.seed) out.emplace_back("seed", Json(*design.seed).dump());
  out.emplace_back("vary", list_of(design.ranges, [&](const Range& range) {
                     return design.kind == Design::Kind::Table ? range.name : to_string(range);
                   }));
  if (design.kind == Design::Kind::Table) {
    Hash hash;
    for (const std::vector<double>& column : design.table) {
      for (const double value : column) hash.add(value);
    }
    out.emplace_back("points_hash", quoted(hash.text()));
  }
  out.emplace_back("outputs", list_of(sweep.criteria, [](const Criterion& c) { return c.label; }));
  out.emplace_back("quantities",
                   list_of(sweep.criteria, [](const Criterion& c) { return to_string(c); }));
  add_run(options, out);
  if (sweep.steps_together) out.emplace_back("criteria_of", quoted("ends of steps"));
  out.emplace_back("samples", options.sampling.every_step ? quoted("steps")
                                                          : Json(options.sampling.count).dump());
  if (sweep.num_band_times > 0) out.emplace_back("bands", Json(sweep.num_band_times).dump());
  return out;
}

std::string to_json(const Manifest& manifest) {
  std::string out = "{";
  for (const auto& [name, text] : manifest) {
    out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", quoted(name), text);
  }
  return out + '}';
}

std::string differences(const Manifest& here, const std::string& there) {
  if (there == to_json(here)) return {};
  const Json other = Json::parse(there, nullptr, false);
  if (!other.is_object()) return "its manifest cannot be read";
  std::string out;
  for (const auto& [name, text] : here) {
    const auto it = other.find(name);
    const std::string value = it == other.end() ? "nothing" : it->dump();
    if (value == text) continue;
    out += fmt::format("{}{} is {} there, {} here", out.empty() ? "" : "; ", name, value, text);
  }
  return out.empty() ? "its manifest has other entries" : out;
}

}  // namespace koppel
