// Options: what can be asked of an operation. They are the members of a plain struct, and one table
// says what each is called, what it does, in which unit, and what it is unless it is given. The
// command line with its help and its completion, arguments in Python and the reference page go by
// the table.
//
//   struct CheckRequest {
//     bool modes = false;
//     std::optional<double> period;
//     static const OptionTable& options();
//   };
//
//   const OptionTable& CheckRequest::options() {
//     static const OptionTable kOptions = {
//         {{.name = "modes", .text = "Print frequencies and mode shapes"}, &CheckRequest::modes},
//         {{.name = "period", .text = "The period", .value = "T", .unit = "s",
//           .unless_given = "found from the motion"}, &CheckRequest::period}};
//     return kOptions;
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/base/member.hpp>

namespace koppel {

enum class OptionBound { None, Positive, Count };  // Count: of so many, not negative

struct OptionInfo {
  std::string name;               // of the argument in Python, and in messages: `tolerance`
  std::string text;               // what it does, without the full stop
  std::string value = {};         // what stands for the value in help: "T"; empty: it is a flag
  std::string unit = {};          // "s"; empty: none, or it depends
  std::string unless_given = {};  // the value then, for people
  // On the command line, where it is not the name: tol; in capitals: without a name, as MODEL.
  std::string typed = {};
  std::vector<std::string> words = {};  // the values that there are; empty: any
  std::string alone = {};               // the value where the option is given without one
  OptionBound bound = OptionBound::None;
  int max = 0;               // of a whole number from 0 on; 0: none
  std::string counted = {};  // with OptionBound::Count: what is counted, for messages
  // Of a text that the operation reads: whether it can, and what is expected otherwise, a sentence.
  bool (*is_known)(const std::string& text) = nullptr;
  std::string expected = {};
  std::string unknown = "is not known";  // what is said of others
  std::string python_type = {};          // where it takes more than the member's type
  bool is_required = false;
  bool has_commas = false;  // several values may be given at once, with commas between them
};

// A text is read by the operation; several of them are one for each time that the option is given.
using OptionMember =
    MemberOf<bool, int, double, std::uint64_t, std::uint16_t, std::string, std::optional<int>,
             std::optional<double>, std::optional<std::uint64_t>, std::optional<std::string>,
             std::vector<std::string>>;

struct Option {
  OptionInfo info;
  OptionMember member;

  bool is_flag() const { return member.is<bool>(); }
  bool is_positional() const;     // it is typed without a name
  std::string typed() const;      // with dashes
  std::string described() const;  // the text with unit and value unless given
  Option kept_in(OptionMember other) const { return {info, other}; }
};

using OptionTable = std::vector<Option>;

// Tables one after the other.
OptionTable operator+(OptionTable a, const OptionTable& b);

// The options of a part of a struct, as those of the struct.
template <typename Outer, typename E>
OptionTable within(E Outer::*part, OptionTable options = E::options()) {
  for (Option& option : options) option.member = option.member.within(part);
  return options;
}

// Throws Error `id` for a text of the struct that is not known. `quote` says how an option and its
// text are named: "--health 'x'".
void check_texts(const OptionTable& options, const void* of, const std::string& id,
                 std::string (*quote)(const Option& option, const std::string& text));

// The table without the option of that name.
OptionTable without(OptionTable options, std::string_view name);

// The option of that name; there is one.
const Option& option_named(const OptionTable& options, std::string_view name);
Option& option_named(OptionTable& options, std::string_view name);

}  // namespace koppel
