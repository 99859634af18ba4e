#include <koppel/export/fmi_structure.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// Parameters replaced by the free ones that they follow from.
std::vector<unsigned> in_free_parameters(const std::vector<unsigned>& references,
                                         const StepModel& model, const Dependencies& parameters) {
  const auto first = static_cast<unsigned>(model.layout.size() - model.parameters.size());
  std::set<unsigned> out;
  for (const unsigned reference : references) {
    if (reference < first) {
      out.insert(reference);
    } else {
      const std::vector<unsigned>& of = parameters[reference - first];
      out.insert(of.begin(), of.end());
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace

Dependencies find_dependencies(const Program& program) {
  constexpr std::size_t kBits = 64;
  const std::size_t words = (program.num_inputs() + kBits - 1) / kBits;
  std::vector<std::uint64_t> bits(program.num_values() * words, 0);
  for (std::size_t i = 0; i < program.num_inputs(); ++i) {
    bits[i * words + i / kBits] = std::uint64_t{1} << (i % kBits);
  }
  std::size_t value = program.num_leaves();
  for (const Instruction& instruction : program.code) {
    const auto add = [&](ValueId operand) {
      for (std::size_t w = 0; w < words; ++w) {
        bits[value * words + w] |= bits[operand * words + w];
      }
    };
    for_each_operand(instruction, add);
    ++value;
  }
  Dependencies out;
  for (const ValueId output : program.outputs) {
    out.emplace_back();
    for (std::size_t i = 0; i < program.num_inputs(); ++i) {
      if ((bits[output * words + i / kBits] >> (i % kBits) & 1) != 0) {
        out.back().push_back(static_cast<unsigned>(i));
      }
    }
  }
  return out;
}

FmiStructure find_structure(const StepModel& model, const RateTerms& rates,
                            const StartCode& start) {
  const auto first = static_cast<unsigned>(model.layout.size() - model.parameters.size());
  FmiStructure out;
  const Dependencies definitions = find_dependencies(lower(model.layout, model.start.parameters));
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    out.parameters.emplace_back();
    for (const unsigned reference : definitions[i]) {
      if (model.start.kinds[reference - first] == ParameterKind::Free) {
        out.parameters.back().push_back(reference);
      }
    }
  }
  const auto find = [&](const Exprs& values) {
    Dependencies all = find_dependencies(lower(model.layout, values));
    for (auto& each : all) each = in_free_parameters(each, model, out.parameters);
    return all;
  };
  Exprs outputs;
  for (const NamedExpr& output : model.prepared.equations->outputs) outputs.push_back(output.value);
  out.outputs = find(outputs);
  out.rates = find(rates.held);
  Exprs when;
  for (const Equations::Event& event : model.prepared.equations->events) when.push_back(event.when);
  out.events = find(when);
  std::set<unsigned> in_start;
  for (const auto& [name, program] : start.functions) {
    if (name == "start_derived" || name == "start_multipliers") continue;
    for (const auto& each : find_dependencies(program)) {
      for (const unsigned r : in_free_parameters(each, model, out.parameters)) {
        if (r >= first) in_start.insert(r);
      }
    }
  }
  out.start.assign(in_start.begin(), in_start.end());
  return out;
}

}  // namespace koppel
