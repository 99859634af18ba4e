#include <koppel/analysis/assembly/loop.hpp>

#include <algorithm>
#include <queue>

#include <fmt/format.h>

#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

bool is_pivot(const Joint& joint) { return joint.law->is_pivot(); }

const Marker& marker_on(const Joint& joint, int body) {
  return joint.a.body == body ? joint.a : joint.b;
}

// The pivots of the shortest way from body a to body b that does not use joint `closing`; empty:
// there is none. Breadth-first.
std::vector<int> find_way(const Model& model, int closing, int a, int b) {
  std::vector<int> reached_by(model.bodies.size(), -1);
  std::vector<char> is_seen(model.bodies.size(), false);
  std::vector<std::vector<int>> joints_of(model.bodies.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (static_cast<int>(i) == closing || !is_pivot(model.joints[i])) continue;
    joints_of[static_cast<std::size_t>(model.joints[i].a.body)].push_back(static_cast<int>(i));
    joints_of[static_cast<std::size_t>(model.joints[i].b.body)].push_back(static_cast<int>(i));
  }
  const auto other = [&](int joint, int body) {
    const Joint& j = model.joints[static_cast<std::size_t>(joint)];
    return j.a.body == body ? j.b.body : j.a.body;
  };
  std::queue<int> front({a});
  is_seen[static_cast<std::size_t>(a)] = true;
  while (!front.empty() && front.front() != b) {
    const int body = front.front();
    front.pop();
    for (const int joint : joints_of[static_cast<std::size_t>(body)]) {
      const auto next = static_cast<std::size_t>(other(joint, body));
      if (is_seen[next]) continue;
      is_seen[next] = true;
      reached_by[next] = joint;
      front.push(static_cast<int>(next));
    }
  }
  std::vector<int> way;
  for (int body = b; body != a;) {
    const int joint = reached_by[static_cast<std::size_t>(body)];
    if (joint < 0) return {};
    way.push_back(joint);
    body = other(joint, body);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

namespace {

// Of the loop that a joint closes; empty where it can close.
std::string explain_loop_of(const Model& model, int closing) {
  const Joint& joint = model.joints[static_cast<std::size_t>(closing)];
  if (!is_pivot(joint)) return "";
  std::vector<int> loop = find_way(model, closing, joint.a.body, joint.b.body);
  if (loop.empty()) return "";
  loop.push_back(closing);

  // The links: on every body of the loop, from the pivot before to the next.
  const ParameterValues values(model);
  double sum = 0, longest = 0;
  int body = joint.a.body, before = closing;
  for (const int next : loop) {
    const Joint& from = model.joints[static_cast<std::size_t>(before)];
    const Joint& to = model.joints[static_cast<std::size_t>(next)];
    const double length =
        norm(values(marker_on(to, body).point) - values(marker_on(from, body).point));
    sum += length;
    longest = std::max(longest, length);
    body = to.a.body == body ? to.b.body : to.a.body;
    before = next;
  }
  if (2 * longest <= sum * (1 + 1e-9)) return "";
  return fmt::format(
      "loop '{}' cannot close: the rods reach {:.3g} m, the pivots are {:.3g} m apart.", joint.name,
      sum - longest, longest);
}

}  // namespace

// In natural coordinates joints hold by themselves, and what stays open is the shape of a body: the
// last of its joints that closes such a loop is named, as in the other sets.
std::string explain_open_loop(const Model& model, const std::string& name, std::string* closing) {
  if (const int joint = model.find_joint(name); joint >= 0) {
    if (closing != nullptr) *closing = name;
    return explain_loop_of(model, joint);
  }
  for (std::size_t i = model.joints.size(); i-- > 0;) {
    const Joint& joint = model.joints[i];
    const bool is_of = model.bodies[static_cast<std::size_t>(joint.a.body)].name == name ||
                       model.bodies[static_cast<std::size_t>(joint.b.body)].name == name;
    if (!is_of) continue;
    std::string text = explain_loop_of(model, static_cast<int>(i));
    if (text.empty()) continue;
    if (closing != nullptr) *closing = joint.name;
    return text;
  }
  return "";
}

}  // namespace koppel
