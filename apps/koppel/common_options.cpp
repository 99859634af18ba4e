#include "apps/koppel/common_options.hpp"

#include <cstdlib>

namespace koppel::app {

Option folder_option(OptionMember member, std::string unless_given) {
  return {{.name = "out",
           .text = "Output folder",
           .value = "DIR",
           .unless_given = std::move(unless_given)},
          member};
}

Option json_option(OptionMember member, std::string what) {
  return {{.name = "json", .text = "Print the " + what + " as JSON"}, member};
}

Option quiet_option(OptionMember member) {
  return {{.name = "quiet", .text = "Print errors only (and JSON, where asked for)"}, member};
}

SimulateOptions simulate_options(const MethodRequest& method, const ModelOptions& given,
                                 const Model& model) {
  SimulateOptions options = options_of(model);
  if (!given.coordinates.empty()) options.coordinates = given.coordinates;
  method.apply_to(options);
  return options;
}

Native use_native(const NativeRequest& request) {
  const Native native = request.native();
  if (native != Native::Auto) {
    ::setenv("KOPPEL_NATIVE", native == Native::Off ? "off" : "", 1);
  }
  return native;
}

}  // namespace koppel::app
