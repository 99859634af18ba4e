#include <koppel/model/places.hpp>

namespace koppel {

Places::Places(const Model& model) : file_(model.file) {
  const auto add_all = [&](const auto& list) {
    for (const auto& part : list) add(parts_, part.name, part.where);
  };
  add_all(model.joints);
  add_all(model.bodies);
  add_all(model.forces);
  add_all(model.constraints);
  add_all(model.nonholonomic);
  add_all(model.coordinates);
  add_all(model.elements);
  add_all(model.first_order);
  add_all(model.servos);
  add_all(model.tracking);
  add_all(model.events);
  add_all(model.outputs);
  for (const Initial& initial : model.initial) {
    if (initial.symbol.is_symbol()) add(initial_, initial.symbol.name(), initial.where);
  }
}

void Places::add(Map& map, std::string_view name, const Location& where) const {
  if (where.line < 1) return;
  Location& place = map.try_emplace(std::string(name), where).first->second;
  if (place.file.empty()) place.file = file_;
}

// Of a name, or else of what it is a part of: `rod.rigid11`, `rod`.
const Location* Places::find(const Diagnostic& d) const {
  if (d.cause == Cause::InitialValue) {
    if (const auto it = initial_.find(d.subject); it != initial_.end()) return &it->second;
  }
  for (std::string_view name = d.subject; !name.empty();) {
    if (const auto it = parts_.find(std::string(name)); it != parts_.end()) return &it->second;
    const std::size_t cut = name.find_last_of(".'");
    name = name.substr(0, cut == name.npos ? 0 : cut);
  }
  return nullptr;
}

Error Places::locate(const Error& error) const {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& d : diagnostics) {
    if (!d.where.file.empty() || d.where.line > 0) continue;
    if (const Location* where = find(d)) d.where = *where;
  }
  return Error(std::move(diagnostics));
}

}  // namespace koppel
