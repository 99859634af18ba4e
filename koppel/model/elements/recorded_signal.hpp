// A smooth curve near samples of a file (model/smooth_curve.hpp): samples are never smooth enough.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct RecordedSignal {
  static constexpr ElementInfo kInfo{"file",
                                     "a curve near the samples of a file, since samples are never "
                                     "smooth enough; a remark says how far it is from them"};

  std::optional<SampleFile> file = {};
  std::optional<std::string> column = {};
  Texts columns = {};
  std::optional<double> tolerance = {};
  std::optional<double> smoothness = {};
  Word ends{-1};

  static const std::vector<Field<RecordedSignal>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
