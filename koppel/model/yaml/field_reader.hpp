// FieldReader: reads an element by its table of fields (elements/field.hpp). The table says which
// keys there are and what each is, the element itself what is missing, wrong or to be done.
// Internal to the reader.
#pragma once

#include <koppel/model/elements/list.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

template <typename E>
const std::vector<std::string_view>& keys_of() {
  static const std::vector<std::string_view> kKeys = [] {
    std::vector<std::string_view> keys;
    for (const Field<E>& field : E::fields()) keys.push_back(field.info.key);
    return keys;
  }();
  return kKeys;
}

// Whether an element may be written as one of its values alone.
template <typename E>
bool may_be_alone() {
  for (const Field<E>& field : E::fields()) {
    if (field.info.alone) return true;
  }
  return false;
}

class FieldReader {
 public:
  // `what`: the element, in messages about its values; empty: its keys speak for themselves.
  FieldReader(Reader& reader, const Node& node, std::string what)
      : reader_(reader), node_(node), what_(std::move(what)) {}

  template <typename E>
  void read(E& into) {
    read_places(into);
    read_others(into);
  }
  // Points come first: directions refer to the bodies they are on.
  template <typename E>
  void read_places(E& into) {
    read_fields(into, true);
  }
  template <typename E>
  void read_others(E& into) {
    read_fields(into, false);
  }

 private:
  template <typename E>
  void read_fields(E& into, bool places) {
    for (const Field<E>& field : E::fields()) {
      const bool is_place = field.kind() == FieldKind::Point || field.kind() == FieldKind::Ends;
      const Node* value = node_.is_map()     ? node_.find(field.info.key)
                          : field.info.alone ? &node_
                                             : nullptr;
      if (value == nullptr || is_place != places) continue;
      std::visit([&](auto member) { read(*value, field.info, into.*member); }, field.member);
    }
  }
  std::string key(const FieldInfo& info) const;  // "drive of joint 'j'"
  Vec3e spot(const Node& node);

  void read(const Node& node, const FieldInfo& info, std::optional<Expr>& into);
  void read(const Node& node, const FieldInfo& info, bool& into);
  void read(const Node& node, const FieldInfo& info, Word& into);
  void read(const Node& node, const FieldInfo& info, std::optional<Place>& into);
  void read(const Node& node, const FieldInfo& info, Ends& into);
  void read(const Node& node, const FieldInfo& info, std::optional<Direction>& into);
  void read(const Node& node, const FieldInfo& info, Directions& into);
  void read(const Node& node, const FieldInfo& info, std::optional<WorldPoint>& into);
  void read(const Node& node, const FieldInfo& info, std::optional<WorldDirection>& into);
  void read(const Node& node, const FieldInfo& info, Numbers& into);
  void read(const Node& node, const FieldInfo& info, Rows& into);
  void read(const Node& node, const FieldInfo& info, std::optional<Coordinate>& into);
  void read(const Node& node, const FieldInfo& info, std::optional<Observed>& into);
  void read(const Node& node, const FieldInfo& info, JointValue& into);
  void read(const Node& node, const FieldInfo& info, Assignments& into);
  void read(const Node& node, const FieldInfo& info, Efforts& into);
  void read(const Node& node, const FieldInfo& info, std::optional<double>& into);
  void read(const Node& node, const FieldInfo& info, std::optional<std::string>& into);
  void read(const Node& node, const FieldInfo& info, Texts& into);
  void read(const Node& node, const FieldInfo& info, PlainNumbers& into);
  void read(const Node& node, const FieldInfo& info, WayPoints& into);
  void read(const Node& node, const FieldInfo& info, std::optional<SampleFile>& into);
  void read(const Node& node, const FieldInfo& info, std::optional<Spot>& into);
  void read(const Node& node, const FieldInfo& info, Corners& into);
  void read(const Node& node, const FieldInfo& info, NamedPoints& into);
  void read(const Node& node, const FieldInfo& info, NamedAxes& into);
  void read(const Node& node, const FieldInfo& info, OwnPoints& into);
  void read(const Node& node, const FieldInfo& info, Settings& into);
  void read(const Node& node, const FieldInfo& info, AxisAngle& into);
  void read(const Node& node, const FieldInfo& info, Orientation& into);
  void read(const Node& node, const FieldInfo& info, Shapes& into);
  std::vector<NamedVector> read_named(const Node& node, const FieldInfo& info, bool is_axis);
  void read_shape(const Entry& entry, Shapes& into);

  Reader& reader_;
  const Node& node_;
  const std::string what_;
  std::vector<Point> points_;  // those that were read
};

// Reads an element by its table and adds it to the model; with mistakes in it only where others
// shall find it all the same.
enum class Add { WithoutMistakes, Always };
template <typename E>
ModelWriter read_element(Reader& reader, const Element& element, const std::string& what,
                         Add add = Add::WithoutMistakes,
                         const std::vector<std::string_view>& keys = keys_of<E>()) {
  const Node& node = *element.value;
  const std::size_t before = reader.num_mistakes();
  ModelWriter writer = reader.writer_for(element, what);
  if (node.is_map()) {
    reader.check_keys(node, what, keys);
  } else if (!may_be_alone<E>() && !reader.expect_map(node, what)) {
    return writer;
  }
  E made;
  FieldReader fields(reader, node, what);
  fields.read_places(made);
  // What can be measured on an element is known to its own expressions.
  if constexpr (requires { made.announce(writer); }) {
    if (reader.num_mistakes() == before) made.announce(writer);
  }
  fields.read_others(made);
  if (add == Add::Always || (reader.num_mistakes() == before && !writer.is_rejected())) {
    add_element(made, writer);
  }
  return writer;
}

// The expression of an element that is one, alone or under `value`.
const Node& value_of(Reader& reader, const Element& element, const std::string& what,
                     std::span<const std::string_view> keys);
template <typename E>
const Node& value_of(Reader& reader, const Element& element, const std::string& what) {
  return value_of(reader, element, what, keys_of<E>());
}

}  // namespace koppel::yaml
