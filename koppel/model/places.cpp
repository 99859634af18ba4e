#include <koppel/model/places.hpp>

#include <algorithm>
#include <array>

namespace koppel {
namespace {

// Errors about methods: what they quote is no part of a model, whatever its name.
bool is_about_options(std::string_view id) {
  constexpr std::array kIds = {"simulate.wrong-pair", "simulate.wrong-step",
                               "control.unknown-method", "equations.unknown-coordinates"};
  return id.starts_with("arguments.") || std::find(kIds.begin(), kIds.end(), id) != kIds.end();
}

// Errors that begin with the name of the model, which may be that of a part as well.
bool names_the_model(std::string_view id) {
  return id.starts_with("control.") || id == "equations.no-bodies";
}

// Calls use(name) for what stands in quotes, until it returns true. Names of rates end in a quote
// of their own: 'slide.position''.
template <typename Use>
void for_each_quoted(std::string_view message, Use&& use) {
  for (std::size_t begin = message.find('\''); begin != message.npos;) {
    std::size_t end = message.find('\'', begin + 1);
    if (end == message.npos) return;
    while (end + 1 < message.size() && message[end + 1] == '\'') ++end;
    if (use(message.substr(begin + 1, end - begin - 1))) return;
    begin = message.find('\'', end + 1);
  }
}

}  // namespace

Places::Places(const Model& model) : model_name_(model.name), file_(model.file) {
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

// A name, or else what it is a part of: `rod.rigid11`, `rod`.
const Location* Places::find(std::string_view id, std::string_view message) const {
  const bool is_initial = message.find("initial value") != message.npos;
  const Location* found = nullptr;
  for_each_quoted(message, [&](std::string_view name) {
    if (name == model_name_ && names_the_model(id)) return false;
    if (is_initial) {
      if (const auto it = initial_.find(std::string(name)); it != initial_.end()) {
        found = &it->second;
      }
    }
    while (found == nullptr && !name.empty()) {
      if (const auto it = parts_.find(std::string(name)); it != parts_.end()) found = &it->second;
      const std::size_t cut = name.find_last_of(".'");
      name = name.substr(0, cut == name.npos ? 0 : cut);
    }
    return found != nullptr;
  });
  return found;
}

Error Places::locate(const Error& error) const {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& d : diagnostics) {
    if (!d.where.file.empty() || d.where.line > 0 || is_about_options(d.id)) continue;
    if (const Location* where = find(d.id, d.message)) d.where = *where;
  }
  return Error(std::move(diagnostics));
}

}  // namespace koppel
