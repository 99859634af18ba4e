#include <koppel/results/value_json.hpp>

#include <nlohmann/json.hpp>

namespace koppel {
namespace {

template <typename Json>
Json json_of_value(const Value& value) {
  return std::visit(
      [](const auto& of) -> Json {
        using T = std::decay_t<decltype(of)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, Value::List>) {
          Json out = Json::array();
          for (const Value& item : of) out.push_back(json_of_value<Json>(item));
          return out;
        } else if constexpr (std::is_same_v<T, Value::Entries>) {
          Json out = Json::object();
          for (const Entry& entry : of) out[entry.name] = json_of_value<Json>(entry.value);
          return out;
        } else {
          return of;
        }
      },
      value.of);
}

template <typename Json>
std::string text_of_value(const Value& value) {
  return json_of_value<Json>(value).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Value& value, KeyOrder order) {
  return order == KeyOrder::AsGiven ? text_of_value<nlohmann::ordered_json>(value)
                                    : text_of_value<nlohmann::json>(value);
}

}  // namespace koppel
