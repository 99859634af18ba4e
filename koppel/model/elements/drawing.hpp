// The parts of a drawing: what a model without bodies looks like, by expressions of positions.
// Each has one key that says what it is and where.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct DrawnPoint {
  static constexpr ElementInfo kInfo{"drawing", "a dot"};

  std::optional<Spot> point = {};

  static const std::vector<Field<DrawnPoint>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DrawnLine {
  static constexpr ElementInfo kInfo{"drawing", "a bar"};

  Corners line = {};

  static const std::vector<Field<DrawnLine>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DrawnCable {
  static constexpr ElementInfo kInfo{"drawing", "a thin line"};

  Corners cable = {};

  static const std::vector<Field<DrawnCable>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DrawnCircle {
  static constexpr ElementInfo kInfo{"drawing", "a circle parallel to the x-y plane"};

  std::optional<Spot> circle = {};
  std::optional<Expr> radius = {};

  static const std::vector<Field<DrawnCircle>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DrawnBox {
  static constexpr ElementInfo kInfo{"drawing", "a box"};

  std::optional<Spot> box = {};
  Numbers size = {};
  std::optional<Expr> turn = {};

  static const std::vector<Field<DrawnBox>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DrawnLabel {
  static constexpr ElementInfo kInfo{"drawing", "text beside a point"};

  std::optional<Spot> label = {};
  std::optional<std::string> text = {};

  static const std::vector<Field<DrawnLabel>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
