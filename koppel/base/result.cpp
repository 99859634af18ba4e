#include <koppel/base/result.hpp>

namespace koppel {

Value value_of(const ResultTable& table, const void* result) {
  Value::Entries out;
  for (const ResultField& field : table) {
    Value value = field.get(result);
    if (value.is_nothing() && field.if_nothing == IfNothing::LeftOut) continue;
    out.push_back({std::string(field.key), std::move(value)});
  }
  return out;
}

}  // namespace koppel
