#include <koppel/results/scene.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/base/at.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

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

// Against gravity; a planar model is seen along z, so that only what lies in its plane counts.
Vec3<double> up_of(const Model& model, const ParameterValues& values, bool is_planar) {
  Vec3<double> up = -values(model.gravity);
  if (is_planar) up.z = 0;
  const double size = norm(up);
  if (size > 0) return (1 / size) * up;
  return is_planar ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
}

// The homogeneous box with the moments of inertia of a body, Iₓ = m (b² + c²)/12 and so on:
//   a² = 6 (I_y + I_z − Iₓ)/m                                                              (1)
// For a body that nothing holds on to, of which a picture would show its centre of mass only.
void add_default_shape(const Body& body, const ParameterValues& values, bool is_planar,
                       Scene::BodyPicture& picture) {
  const auto is_at_com = [&](const Vec3<double>& p) { return norm(p - picture.com) == 0; };
  const double mass = values(body.mass);
  if (!picture.shapes.empty() || body.is_point || !(mass > 0) ||
      !std::all_of(picture.points.begin(), picture.points.end(), is_at_com)) {
    return;
  }
  const Mat3<double> I = values(body.inertia);
  Shape box;
  box.kind = Shape::Kind::Box;
  box.position = picture.com;
  for (std::size_t i = 0; i < 3; ++i) {
    const double square = 6 * (I((i + 1) % 3, (i + 1) % 3) + I((i + 2) % 3, (i + 2) % 3) - I(i, i));
    box.size[i] = std::sqrt(std::max(square / mass, 0.0));  // Eq. (1)
  }
  // In the plane only the moment about z is known: a square.
  if (is_planar) box.size.x = box.size.y = std::sqrt(6 * I(2, 2) / mass), box.size.z = 0;
  if (norm(box.size) > 0) picture.shapes.push_back(std::move(box));
}

Scene::DrawnPicture picture_of(const Drawn& part, const ParameterValues& values) {
  std::vector<Expr> all = {part.turn};
  for (const Vec3e& p : part.points) all.insert(all.end(), {p.x, p.y, p.z});
  const std::vector<Expr> symbols = symbols_of(all);
  const bool moves = std::any_of(symbols.begin(), symbols.end(),
                                 [&](Expr symbol) { return !values.is_parameter(symbol); });
  return {part.name, part.kind, part.points.size(), part.size, part.text, moves};
}

// Drawn in the x-y plane alone.
bool is_flat(const Model& model) {
  return model.bodies.size() == 1 &&
         std::all_of(model.drawing.begin(), model.drawing.end(), [](const Drawn& part) {
           return std::all_of(part.points.begin(), part.points.end(),
                              [](const Vec3e& p) { return p.z.is_constant(0); });
         });
}

Scene::Pose pose_of(const double* frame) {
  Mat3<double> R;
  for (std::size_t j = 0; j < 3; ++j) {
    R.column[j] = {frame[3 + 3 * j], frame[4 + 3 * j], frame[5 + 3 * j]};
  }
  const std::array<double, 4> e = quaternion_of(R);
  return {frame[0], frame[1], frame[2], e[0], e[1], e[2], e[3]};
}

// Computes frames of positions.
class Frames {
 public:
  Frames(const Equations& equations, std::size_t num_bodies)
      : num_q_(equations.q.size()),
        num_bodies_(num_bodies),
        function_(inputs_of(equations), expressions_of_frame(equations)),
        work_(function_.make_workspace()),
        in_(function_.num_inputs()),
        out_(function_.num_outputs()) {
    std::copy(equations.p_value.begin(), equations.p_value.end(),
              in_.begin() + 1 + static_cast<std::ptrdiff_t>(num_q_));
  }

  // q_of(i) is coordinate i.
  template <typename F>
  Scene::Frame at(double t, F&& q_of) {
    in_[0] = t;
    for (std::size_t i = 0; i < num_q_; ++i) in_[1 + i] = q_of(i);
    function_.evaluate(in_, out_, work_);
    Scene::Frame frame;
    const std::size_t first_drawn = num_bodies_ * kNumbersOfBody;
    for (std::size_t at = 0; at < first_drawn; at += kNumbersOfBody) {
      frame.poses.push_back(pose_of(out_.data() + at));
    }
    frame.drawn.assign(out_.begin() + static_cast<std::ptrdiff_t>(first_drawn), out_.end());
    return frame;
  }

 private:
  static std::vector<Expr> inputs_of(const Equations& equations) {
    std::vector<Expr> inputs = {equations.t};
    inputs.insert(inputs.end(), equations.q.begin(), equations.q.end());
    inputs.insert(inputs.end(), equations.p.begin(), equations.p.end());
    return inputs;
  }

  std::size_t num_q_, num_bodies_;
  Function function_;
  Workspace work_;
  std::vector<double> in_, out_;
};

}  // namespace

std::vector<Expr> expressions_of_frame(const Equations& equations) {
  std::vector<Expr> values;
  for (const BodyFrame& body : equations.kinematics->bodies) {
    for (const Vec3e& part : {body.r, body.R.column[0], body.R.column[1], body.R.column[2]}) {
      values.insert(values.end(), {part.x, part.y, part.z});
    }
  }
  const std::vector<Expr>& drawing = equations.kinematics->drawing;
  values.insert(values.end(), drawing.begin(), drawing.end());
  return values;
}

Scene make_scene(const Model& model) {
  const ParameterValues values(model);
  Scene scene;
  scene.is_planar = model.is_planar || is_flat(model);
  scene.up = up_of(model, values, scene.is_planar);
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
      const Quantity& length = model.quantities[at(action.quantity)];
      const auto* along = std::get_if<Quantity::DistanceBetween>(&length.of);
      if (along == nullptr) continue;
      scene.springs.push_back({force.name, end_of(along->a, values, scene),
                               end_of(along->b, values, scene),
                               !depends_on(action.effort, std::vector{length.value, length.rate})});
    }
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    add_default_shape(model.bodies[i], values, model.is_planar, scene.bodies[i]);
  }
  for (const Drawn& part : model.drawing) scene.drawing.push_back(picture_of(part, values));
  return scene;
}

void add_frames(const Equations& equations, const Observation& observation,
                const Trajectory& trajectory, std::size_t max_frames, Scene& scene) {
  Frames frames(equations, scene.bodies.size());
  for (const std::size_t row : thin_evenly(trajectory.num_rows(), max_frames)) {
    scene.times.push_back(trajectory.time()[row]);
    scene.frames.push_back(frames.at(scene.times.back(), [&](std::size_t i) {
      return trajectory.column(observation.columns_of_q()[i])[row];
    }));
  }
}

void add_frame(const Equations& equations, double t, std::span<const double> q, Scene& scene) {
  scene.times.push_back(t);
  scene.frames.push_back(
      Frames(equations, scene.bodies.size()).at(t, [&](std::size_t i) { return q[i]; }));
}

}  // namespace koppel
