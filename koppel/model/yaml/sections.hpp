// What reads the sections of a model file. Internal to the reader.
#pragma once

#include <koppel/model/yaml/reader.hpp>

namespace koppel::urdf {
struct Robot;
}  // namespace koppel::urdf

namespace koppel::yaml {

// All sections of a file, in an order in which what others refer to comes first (read_model.cpp).
void read_sections(Reader& reader, const Node& root, const ReadOptions& options);

// parameters.cpp. `options` override parameters.
void read_parameters(Reader& reader, const Node* section, const ReadOptions& options);

// elements.cpp: what is read by tables alone.
void read_tables(Reader& reader, const Node* section);
void read_signals(Reader& reader, const Node* section);
void read_inputs(Reader& reader, const Node* section);
void read_coordinates(Reader& reader, const Node* section);
void read_joints(Reader& reader, const Node* section);
void read_forces(Reader& reader, const Node* section);
void read_constraints(Reader& reader, const Node& root);
void read_tracking(Reader& reader, const Node* section);
void read_outputs(Reader& reader, const Node* section);
void read_drawing(Reader& reader, const Node* section);
void read_servo(Reader& reader, const Node* section);
void read_events(Reader& reader, const Node* section);
void read_positive(Reader& reader, const Node* section);

// equations.cpp: states, energies, values at the start; and the run settings.
void read_states(Reader& reader, const Node* section);       // their names
void read_state_rates(Reader& reader, const Node* section);  // after what they may depend on
void read_energies(Reader& reader, const Node& root);
void read_initial(Reader& reader, const Node* section);
void read_run(Reader& reader, const Node* section);

// points.cpp: points and vectors of the user's own; the places of bodies that follow from them.
void read_own_points(Reader& reader, const Node* section, bool is_point);
void place_by_frame(Reader& reader, int body);

// bodies.cpp, definitions.cpp
void read_bodies(Reader& reader, const Node* section);
void add_shape(Reader& reader, const Frame& on, Shape shape);  // given in a frame of a body
void read_definitions(Reader& reader, const Node* section);

// include.cpp
void read_includes(Reader& reader, const Node* section);
// The text of the file that `key` names, and its path. Nothing: reported.
std::optional<Source> read_included(Reader& reader, const Node& key, const std::string& what);
bool count_values(Reader& reader, const Node& file, std::size_t more);

// robot.cpp: a robot's links and joints, as bodies and joints of the sub-assembly.
void add_robot(Reader& reader, const urdf::Robot& robot, bool is_floating);

}  // namespace koppel::yaml
