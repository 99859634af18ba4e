#include <koppel/model/elements/include_element.hpp>

namespace koppel {

const std::vector<Field<IncludeElement>>& IncludeElement::fields() {
  using E = IncludeElement;
  static const std::vector<Field<E>> kFields =
      std::vector<Field<E>>{
          {{"file", "a model file beside this one", {}, "`urdf`"}, &E::file},
          {{"urdf", "a robot file beside this one", {}, "`file`"}, &E::urdf},
          {{"floating", "for a robot: the root link is free", {}, "false"}, &E::floating},
          {{"parameters", "for a model file: names with numbers", {}, "those of the file"},
           &E::parameters}} +
      placing_fields<E>();
  return kFields;
}

}  // namespace koppel
