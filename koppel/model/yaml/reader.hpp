// The state of reading a model file: reporting mistakes, names, and values of all kinds. Internal
// to the reader; what reads a section stands in a file of its own (sections.hpp).
//
// A step that finds a mistake reports it and goes on with some harmless value, so that all mistakes
// of a file are found at once. The values read after that do not matter.
#pragma once

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

#include <koppel/model/elements/model_writer.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/model/yaml/tree.hpp>

namespace koppel::yaml {

// A number as an expression of the parameters, and with their values put in.
struct Number {
  Expr e = 0;
  double value = 0;
};

// Where a frame is, as seen from another.
struct Placement : MarkerFrame {
  Vec3e point(const Vec3e& p) const { return r + R * p; }
  Vec3e direction(const Vec3e& d) const { return R * d; }
  Placement then(const MarkerFrame& inner) const { return {{point(inner.r), R * inner.R}}; }
  bool is_world() const;  // the frame of the main file
};

// A point of a body, or a body by itself (its origin).
struct Point {
  int body = kGround;
  Vec3e at;               // in the body frame
  Placement frame;        // what the user's vectors refer to, in the body frame
  std::string name;       // as the user wrote it
  bool is_origin = true;  // the body by itself
};

// A frame that is fixed to a body and has a name of its own.
struct Frame {
  int body = kGround;
  Placement at;  // in the body frame
};

// What a name with a dot may refer to. Full names, those of sub-assemblies with their prefix.
struct Names {
  std::unordered_map<std::string, int> bodies, joints;
  std::unordered_map<std::string, Point> points;  // "rod.A"
  std::unordered_map<std::string, Vec3e> axes;    // "rod.hinge"
  std::unordered_map<std::string, int> elements;  // points and vectors of the user's own
  std::unordered_map<std::string, Frame> frames;  // "front.ground"; links of robots without mass
  std::unordered_map<std::string, Parameter> parameters;
  std::unordered_map<std::string, ParameterOrigin> origins;  // of parameters
  std::map<std::string, std::string> set;                    // from outside, not yet taken
  std::unordered_map<std::string, Expr> signals;             // named expressions of time
  std::unordered_map<std::string, Expr> plain;        // inputs, coordinates and their rates, states
  std::unordered_map<std::string, std::string> kind;  // what uses a name: "body", "parameter"
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
  // Mistakes that are reported while it lives are about this element, by its full name.
  class Subject {
   public:
    Subject(Reader& reader, std::string full_name)
        : reader_(reader), outer_(std::exchange(reader.subject_, std::move(full_name))) {}
    ~Subject() { reader_.subject_ = std::move(outer_); }
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

   private:
    Reader& reader_;
    std::string outer_;
  };

  Reader(Model& model, Names& names, const Source& source, std::vector<Diagnostic>& mistakes);
  // Of a file that another one includes, under a prefix and at a place.
  Reader(Reader& outer, const Source& source, std::string prefix, const Placement& frame);

  // mistakes.cpp: reporting, and the shape of maps.
  void report(Location where, std::string_view id, std::string message, std::string hint = {});
  void report(std::size_t offset, std::string_view id, std::string message, std::string hint = {});
  void report(Diagnostic mistake);
  void report(const Error& error);  // of another file
  // An element lacks something.
  void report_missing(std::size_t offset, std::string message, std::string hint = {});
  // The full name of nothing.
  void report_unknown(Location where, std::string_view id, std::string_view named,
                      std::string message, std::string hint = {});
  const std::string& subject() const { return subject_; }
  std::size_t num_mistakes() const { return mistakes_.size(); }
  bool expect_map(const Node& node, std::string_view what);
  // Whether it is a map with no other keys than these. Unknown keys are reported.
  bool check_keys(const Node& node, const std::string& what,
                  std::span<const std::string_view> keys);
  // The text of a scalar, one of a few words: the index of the word, or −1 (reported).
  int word(const Node& node, std::string_view what, std::span<const std::string_view> words);
  // A name may be used once among its likes.
  bool claim(const Element& element, std::string_view space, const std::string& kind);

  // repeat.cpp: the elements of a section, repetitions written out.
  std::vector<Element> elements(const Node* section, std::string_view what);
  std::string with_indices(std::size_t offset, const std::string& text);

  // values.cpp
  std::string text(const Node& node, std::string_view what);
  bool boolean(const Node& node, std::string_view what);
  Expr expression(const Node& node, std::string_view what, Allow allow);
  std::vector<Expr> expressions(const Node& node, std::size_t size, std::string_view what,
                                Allow allow);
  Number number(const Node& node, std::string_view what);
  Number angle(const Node& node, std::string_view what);
  double plain_number(const Node& node, std::string_view what);  // its value is built in
  // Marks the parameters of an expression, and those that they follow from: the model has to be
  // read again for other values of theirs. With a setting of runs, only runs that keep it are
  // concerned.
  void build_in(Expr e, std::string_view run_setting = {});
  Vec3e vector(const Node& node, std::string_view what);
  Vec3e direction(const Node& node, std::string_view what);  // not zero

  // quantities.cpp: the names in expressions.
  std::optional<Expr> resolve(std::string_view name, Allow allow);
  void report_unknown(Location where, std::string_view name, Allow allow);
  int quantity(const Node& node, std::string_view what);  // −1: reported
  // The quantity of a name with a dot, made when it is new. World coordinates in a sub-assembly are
  // those in its frame; a body's angle there is the quantity less that of the frame, `zero`.
  struct Member {
    int quantity;
    bool is_rate = false;
    Expr zero = 0;
  };
  std::optional<Member> member(std::string_view name);
  int joint_coordinate(const Node& node, std::string_view what);

  // body_places.cpp: points and axes of bodies.
  std::optional<Point> point(const Node& node, const std::string& what);
  std::optional<Vec3e> axis_of(const Node& node, const Point& point, const std::string& what);

  // definitions.cpp: the value of one, or with a quote behind the name its rate.
  std::optional<Expr> definition(const std::string& full_name, Allow allow);

  // What adds an element to the model, with its mistakes in their places.
  ModelWriter writer_for(const Element& element, const std::string& what);
  std::string full(std::string_view name) const { return prefix + std::string(name); }

  Model& model;
  Names& names;
  const Source& source;
  const std::string prefix;                       // of a sub-assembly: "front."
  const Placement frame;                          // of a sub-assembly
  const int depth = 0;                            // of files that include files
  std::optional<ParameterValues> values;          // once the parameters are read
  std::map<std::string, Definition> definitions;  // by full name

 private:
  struct Text {
    std::string text;
    double factor = 1;  // of its unit
  };
  bool is_reported(const Location& where, std::string_view id) const;
  void report(const Node& scalar, const Error& error);  // what parsing its text says
  std::optional<Text> expression_text(const Node& node, std::string_view what);
  void add_prefix_to_tables(std::string& text);
  void repeat(const Entry& entry, const Node& ranges, std::vector<Element>& out);
  long whole_number(std::size_t offset, std::string_view text, std::string_view what);
  std::vector<std::string> known_names() const;
  std::optional<Expr> rate_of(Expr e) const;  // nothing: e is not of positions and time

  std::vector<Diagnostic>& mistakes_;
  std::string subject_;
  std::deque<Node> written_out_;  // what repetitions made
  Graph scratch_;                 // for numbers
};

// "body 'crank'"
std::string describe(std::string_view what, std::string_view name);

// A scalar that stands nowhere in the file by itself.
Node make_scalar(std::string_view text, std::size_t offset);

}  // namespace koppel::yaml
