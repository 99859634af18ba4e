#include <koppel/base/option.hpp>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <utility>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

bool Option::is_positional() const {
  return !info.typed.empty() && std::isupper(static_cast<unsigned char>(info.typed[0])) != 0;
}

std::string Option::typed() const {
  if (is_positional()) return info.typed;
  std::string out = "--" + (info.typed.empty() ? info.name : info.typed);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string Option::described() const {
  std::string out = info.text;
  if (info.unit == "s") out += ", in seconds";
  if (!info.unless_given.empty()) out += " (default: " + info.unless_given + ')';
  return out;
}

OptionTable operator+(OptionTable a, const OptionTable& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void check_texts(const OptionTable& options, const void* of, const std::string& id,
                 std::string (*quote)(const Option& option, const std::string& text)) {
  for (const Option& option : options) {
    if (!option.member.is<std::string>()) continue;
    const OptionInfo& info = option.info;
    const std::string& text = *std::get<const std::string*>(option.member.in(of));
    const auto is_word = [&] {
      return std::find(info.words.begin(), info.words.end(), text) != info.words.end();
    };
    if (text.empty() || (info.words.empty() && info.is_known == nullptr)) continue;
    if (info.is_known != nullptr ? info.is_known(text) : is_word()) continue;
    std::string expected = info.expected;
    if (expected.empty()) {
      for (const std::string& word : info.words) {
        expected += (expected.empty() ? "It is one of: " : ", ") + word;
      }
      expected += '.';
    }
    throw Error(id, quote(option, text) + ' ' + info.unknown + '.', expected);
  }
}

OptionTable without(OptionTable options, std::string_view name) {
  std::erase_if(options, [&](const Option& option) { return option.info.name == name; });
  return options;
}

const Option& option_named(const OptionTable& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.info.name == name; });
  assert(found != options.end());
  return *found;
}

Option& option_named(OptionTable& options, std::string_view name) {
  return const_cast<Option&>(option_named(std::as_const(options), name));
}

}  // namespace koppel
