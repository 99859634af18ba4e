#include <koppel/results/scene.hpp>

#include <algorithm>

#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void add_point(Scene::BodyPicture& body, const Vec3<double>& point) {
  const auto is_same = [&](const Vec3<double>& p) {
    return p.x == point.x && p.y == point.y && p.z == point.z;
  };
  if (std::none_of(body.points.begin(), body.points.end(), is_same)) body.points.push_back(point);
}

Scene::End end_of(const Marker& marker, const ParameterValues& values, Scene& scene) {
  const Scene::End end{marker.body, values(marker.point)};
  add_point(scene.bodies[at(marker.body)], end.point);
  return end;
}

Function compile_frames(const Equations& equations) {
  std::vector<Expr> inputs = {equations.t}, values;
  inputs.insert(inputs.end(), equations.q.begin(), equations.q.end());
  inputs.insert(inputs.end(), equations.p.begin(), equations.p.end());
  for (const BodyFrame& body : equations.kinematics->bodies) {
    for (const Vec3e& part : {body.r, body.R.column[0], body.R.column[1], body.R.column[2]}) {
      values.insert(values.end(), {part.x, part.y, part.z});
    }
  }
  return Function(inputs, values);
}

constexpr std::size_t kFrameSize = 12;  // r and the columns of R

Scene::Pose pose_of(const double* frame) {
  Mat3<double> R;
  for (std::size_t j = 0; j < 3; ++j) {
    R.column[j] = {frame[3 + 3 * j], frame[4 + 3 * j], frame[5 + 3 * j]};
  }
  const std::array<double, 4> e = quaternion_of(R);
  return {frame[0], frame[1], frame[2], e[0], e[1], e[2], e[3]};
}

}  // namespace

Scene make_scene(const Model& model) {
  const ParameterValues values(model);
  Scene scene;
  scene.is_planar = model.is_planar;
  for (const Body& body : model.bodies) {
    Scene::BodyPicture picture{body.name, body.shapes, {}, values(body.com)};
    for (const NamedVector& point : body.points) add_point(picture, values(point.value));
    scene.bodies.push_back(std::move(picture));
  }
  for (const Joint& joint : model.joints) {
    const bool a_moves = joint.b.body == kGround;
    const Marker &moving = a_moves ? joint.a : joint.b, &other = a_moves ? joint.b : joint.a;
    scene.joints.push_back({joint.name, std::string(joint.law->type()),
                            end_of(moving, values, scene), end_of(other, values, scene),
                            values(moving.axes.column[2])});
  }
  for (const Contact& contact : model.contacts) {
    scene.joints.push_back({contact.name,
                            std::string(contact.type),
                            end_of(contact.point, values, scene),
                            {contact.frame.body, values(contact.frame.point)},
                            {0, 0, 1}});
  }
  for (const Force& force : model.forces) {
    for (const Action& action : force.actions) {
      const auto* along =
          std::get_if<Quantity::DistanceBetween>(&model.quantities[at(action.quantity)].of);
      if (along == nullptr) continue;
      scene.springs.push_back(
          {force.name, end_of(along->a, values, scene), end_of(along->b, values, scene)});
    }
  }
  return scene;
}

void add_frames(const Equations& equations, const Observation& observation,
                const Trajectory& trajectory, std::size_t max_frames, Scene& scene) {
  const Function function = compile_frames(equations);
  Workspace work = function.make_workspace();
  std::vector<double> in(function.num_inputs()), out(function.num_outputs());
  std::copy(equations.p_value.begin(), equations.p_value.end(),
            in.begin() + 1 + static_cast<std::ptrdiff_t>(equations.q.size()));
  for (const std::size_t row : thin_evenly(trajectory.num_rows(), max_frames)) {
    in[0] = trajectory.time()[row];
    for (std::size_t i = 0; i < equations.q.size(); ++i) {
      in[1 + i] = trajectory.column(observation.columns_of_q()[i])[row];
    }
    function.evaluate(in, out, work);
    std::vector<Scene::Pose>& frame = scene.frames.emplace_back();
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      frame.push_back(pose_of(out.data() + b * kFrameSize));
    }
    scene.times.push_back(in[0]);
  }
}

}  // namespace koppel
