// The state of reading a model file, and the steps of it: one .cpp file for each part of the
// format. Internal to the reader.
//
// A step that finds a mistake reports it and goes on with some harmless value, so that all mistakes
// of a file are found at once. The values read after that do not matter.
#pragma once

#include <array>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <koppel/expr/text/parse.hpp>
#include <koppel/model/elements/model_writer.hpp>
#include <koppel/model/smooth_curve.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/model/yaml/tree.hpp>

namespace koppel::urdf {
struct Joint;
struct Link;
struct Robot;
}  // namespace koppel::urdf

namespace koppel::yaml {

// A number as an expression of the parameters, and with their values put in.
struct Number {
  Expr e = 0;
  double value = 0;
};

struct Vector {
  Vec3e e;
  Vec3<double> value;
};

struct Rotation {
  Mat3e e = Mat3e::identity();
  Mat3<double> value = Mat3<double>::identity();
};

// Where a frame is, as seen from another.
struct Placement {
  Vector r;
  Rotation R;

  Vector point(const Vector& p) const;      // r + R p
  Vector direction(const Vector& d) const;  // R d
  Placement then(const Placement& inner) const;
};

// A point of a body, or a body by itself (its origin).
struct Point {
  int body = kGround;
  Vector at;              // in the body frame
  Placement frame;        // what the user's vectors refer to, in the body frame
  std::string name;       // as the user wrote it
  bool is_origin = true;  // the body by itself
};

// A frame that is fixed to a body and has a name of its own.
struct Frame {
  int body = kGround;
  Placement at;  // in the body frame
};

// The mass properties of a homogeneous shape of mass 1, about its centre, along the body axes.
struct Solid {
  Vec3e centre;
  Mat3e inertia;
  Expr volume = 0;  // 0: a line
};

// What a name with a dot may refer to. Full names, those of sub-assemblies with their prefix.
struct Names {
  std::unordered_map<std::string, int> bodies, joints;
  std::unordered_map<std::string, Point> points;  // "rod.A"
  std::unordered_map<std::string, Vector> axes;   // "rod.hinge"
  std::unordered_map<std::string, int> elements;  // points and vectors of the user's own
  std::unordered_map<std::string, Frame> frames;  // "front.ground"; links of robots without mass
  std::unordered_map<std::string, Parameter> parameters;
  std::unordered_map<std::string, ParameterOrigin> origins;  // of parameters
  std::unordered_map<std::string, Expr> signals;             // named expressions of time
  std::unordered_map<std::string, Expr> plain;        // inputs, coordinates and their rates, states
  std::unordered_map<std::string, std::string> kind;  // what uses a name: "body", "parameter"
  std::vector<Placement> poses;                       // of bodies, expected at the start
  std::size_t num_nodes = 0;                          // repetitions expanded
};

// An element of a section; those with `repeat` are written out.
struct Element {
  std::string name;       // as written, indices as numbers
  std::string full_name;  // with the prefix of the sub-assembly
  std::size_t offset = 0;
  const Node* value = nullptr;
};

// A named expression; read when it is first used, since others may come later in the file.
struct Definition {
  Element element;
  std::optional<Expr> value;
  bool is_open = false;  // being read: used by itself where it is asked for again
};

class Reader {
 public:
  Reader(Model& model, Names& names, const Source& source, std::vector<Diagnostic>& mistakes);

  // The whole file. `set` overrides parameters.
  void read(const Node& root, const ReadOptions& options);

 private:
  // mistakes.cpp: reporting, and the shape of maps.
  bool is_reported(const Location& where, std::string_view id) const;
  void report(Location where, std::string_view id, std::string message, std::string hint = {});
  void report(std::size_t offset, std::string_view id, std::string message, std::string hint = {});
  // What parsing the text of a scalar says.
  void report(const Node& scalar, const Error& error);
  bool expect_map(const Node& node, std::string_view what);
  // Whether it is a map with no other keys than these. Unknown keys are reported.
  bool check_keys(const Node& node, const std::string& what,
                  std::span<const std::string_view> keys);
  bool check_keys(const Node& node, const std::string& what,
                  std::initializer_list<std::string_view> keys) {
    return check_keys(node, what, std::span(keys.begin(), keys.size()));
  }
  std::string one_of(std::string_view wrong, std::string_view what,
                     std::vector<std::string> known) const;
  // The text of a scalar, one of a few words: the index of the word, or −1 (reported).
  int word(const Node& node, std::string_view what, std::span<const std::string_view> words);
  int word(const Node& node, std::string_view what, std::initializer_list<std::string_view> words) {
    return word(node, what, std::span(words.begin(), words.size()));
  }
  // A name may be used once among its likes.
  bool claim(const Element& element, std::string_view space, const std::string& kind);

  // repeat.cpp: the elements of a section, repetitions written out.
  std::vector<Element> elements(const Node* section, std::string_view what);
  void repeat(const Entry& entry, const Node& ranges, std::vector<Element>& out);
  std::string with_indices(std::size_t offset, const std::string& text);
  long whole_number(std::size_t offset, std::string_view text, std::string_view what);

  // values.cpp
  std::string text(const Node& node, std::string_view what);
  struct Text {
    std::string text;
    double factor = 1;  // of its unit
  };
  std::optional<Text> expression_text(const Node& node, std::string_view what);
  void add_prefix_to_tables(std::string& text);
  Expr expression(const Node& node, std::string_view what, Allow allow);
  Number number(const Node& node, std::string_view what);
  Number angle(const Node& node, std::string_view what);
  double plain_number(const Node& node, std::string_view what);
  bool boolean(const Node& node, std::string_view what);
  Vector vector(const Node& node, std::string_view what);
  std::vector<Expr> expressions(const Node& node, std::size_t size, std::string_view what,
                                Allow allow);
  Vector nonzero(Vector v, const Node& node, std::string_view what);
  Placement placement(const Node& node, const std::string& what);

  // quantities.cpp: the names in expressions.
  std::optional<Expr> resolve(std::string_view name, Allow allow);
  std::optional<Expr> resolve_member(const std::string& full_name);
  void report_unknown(Location where, std::string_view name, Allow allow);
  std::vector<std::string> known_names() const;
  int quantity(const Node& node, std::string_view what);  // −1: reported
  int joint_coordinate(const Node& node, std::string_view what);

  // parameters.cpp
  void read_parameters(const Node* section, const ReadOptions& options);
  void read_tables(const Node* section);

  // definitions.cpp
  void read_definitions(const Node* section);
  std::optional<Expr> definition(const std::string& full_name, Allow allow);
  std::optional<Expr> rate_of(Expr e) const;  // nothing: e is not of positions and time

  // signals.cpp
  void read_signals(const Node* section);
  Expr time_law(const Node& node, const std::string& what, bool has_ramp);
  int smoothness(const Node& node, const std::string& what, int most);

  // paths.cpp
  struct CurveKind {
    int smoothness;
    CurveEnds ends;
  };
  void read_line(const Element& element, const std::string& what);
  void read_arc(const Element& element, const std::string& what);
  void read_spline(const Element& element, const std::string& what);
  struct Samples {
    std::vector<double> t;
    std::vector<std::vector<double>> columns;
    bool is_path = false;
    const char* component(std::size_t i) const {
      constexpr const char* kNames[] = {".x", ".y", ".z"};
      return is_path ? kNames[i] : "";
    }
  };
  std::optional<Samples> read_samples(const Element& element, const std::string& what);
  void read_recorded(const Element& element, const std::string& what);
  void read_held(const Element& element, const std::string& what);
  CurveKind curve_kind(const Node& node, const std::string& what, CurveEnds usual);
  void name_path(const Element& element, const Vec3e& path);
  void name_curve(const Element& element, const char* component, Expr x, const Curve& curve);
  void name_recorded(const Element& element, const std::string& what, const char* component,
                     const std::vector<double>& t, const std::vector<double>& y, double tolerance,
                     CurveKind kind);

  // points.cpp
  void read_elements(const Node* section, bool is_point);
  void read_element(const Element& element, const std::string& what, bool is_point);
  void name_components(const PointOrVector& element);
  bool depends_on_coordinates_only(Expr e) const;
  bool read_frame(const Node& frame, const Node& node, const std::string& what, Body& body);
  void place_by_frame(int index);

  // bodies.cpp, shapes.cpp
  void read_bodies(const Node* section);
  void read_body(const Element& element);
  void read_points(const Element& element, int body, const Placement& frame);
  void read_inertia(const Node& node, const std::string& what, Body& body);
  void read_mass(const Element& element, const std::string& what, Body& body);
  // Appends what a body's shapes are made of, for its mass and for pictures.
  void read_shapes(const Node& node, const std::string& what, Body& body,
                   std::vector<Solid>& solids);
  void read_shape(const Entry& entry, const std::string& what, Body& body,
                  std::vector<Solid>& solids);

  // elements.cpp: joints and forces, by their tables of fields.
  struct Places;  // the points that an element is at
  void read_joints(const Node* section);
  void read_forces(const Node* section);
  template <typename List>
  void read_one_of(const Element& element, const char* kind);
  template <typename List, typename E>
  void read_as(const Element& element, const std::string& what, const char* kind);
  template <typename List>
  void report_keys_of_others(const Node& node, const std::string& what, const char* kind,
                             std::span<const std::string_view> keys);
  ModelWriter writer_for(const Element& element, const std::string& what);
  void read_value(const Node& node, const FieldInfo& info, Places& at, std::optional<Expr>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, bool& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Word& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, std::optional<Place>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Ends& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at,
                  std::optional<Direction>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Directions& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at,
                  std::optional<WorldPoint>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at,
                  std::optional<WorldDirection>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Numbers& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Rows& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at,
                  std::optional<Coordinate>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at,
                  std::optional<Observed>& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, JointValue& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Assignments& into);
  void read_value(const Node& node, const FieldInfo& info, Places& at, Efforts& into);
  // Sections of elements of one type, which may be their `value` alone.
  template <typename E>
  void read_section(const Node* section, const char* name, const char* kind);
  void read_events(const Node* section);
  void read_tracking(const Node* section);
  void read_constraints(const Node& root);

  // body_places.cpp: points and axes of bodies.
  std::optional<Point> point(const Node& node, const std::string& what);
  std::optional<Vector> axis_of(const Node& node, const Point& point, const std::string& what);

  // drawing.cpp: the picture of what has no bodies.
  void read_drawing(const Node* section);
  void read_drawn(const Element& element, const std::string& what);
  Vec3e drawn_point(const Node& node, const std::string& what);

  // equations.cpp: what is given by expressions.
  void read_inputs(const Node* section);
  void read_coordinates(const Node* section);
  void read_states(const Node* section);
  void read_state_rates(const Node* section);
  void read_energies(const Node& root);
  void read_initial(const Node* section);
  void read_outputs(const Node* section);
  void read_servo(const Node* section);
  void read_attitude(const Element& element, const std::string& what);  // attitude.cpp
  void read_positive(const Node* section);
  void read_limits(const Element& element, InputLimits& limits);
  void read_run(const Node* section);
  const Node& value_of(const Element& element, const std::string& what,
                       std::initializer_list<std::string_view> keys = {"value"});

  // include.cpp
  void read_includes(const Node* section);
  void read_include(const Element& element);
  // The text of the file that `key` names, and its path. Nothing: reported.
  std::optional<Source> read_included(const Node& key, const std::string& what);
  bool count_values(const Node& file, std::size_t more);

  // robot.cpp: a robot's links and joints, as bodies and joints of the sub-assembly.
  void add_robot(const urdf::Robot& robot, bool is_floating);
  void add_robot_link(const urdf::Robot& robot, const urdf::Link& link, bool is_floating,
                      Frame& frame);
  void add_robot_joint(const urdf::Joint& joint, const std::string& name, const Frame& parent,
                       int child);
  bool claim_robot_name(const std::string& name, std::size_t offset, const char* kind);

  Graph& graph() { return *model_.graph; }
  std::string full(std::string_view name) const { return prefix_ + std::string(name); }

  Model& model_;
  Names& names_;
  const Source& source_;
  std::vector<Diagnostic>& mistakes_;
  std::string prefix_;            // of a sub-assembly: "front."
  Placement placement_;           // of a sub-assembly
  int depth_ = 0;                 // of files that include files
  std::deque<Node> written_out_;  // what repetitions made
  Graph scratch_;                 // for numbers
  std::optional<ParameterValues> values_;
  std::map<std::string, Definition> definitions_;  // by full name
};

// "body 'crank'"
std::string describe(std::string_view what, std::string_view name);

}  // namespace koppel::yaml
