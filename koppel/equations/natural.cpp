// Natural coordinates: points and unit vectors, shared between the bodies at joints [Derakhshan
// 2022, ch. 3]. A body is described by elements fixed to it: enough points P and unit vectors u
// that its frame follows from them linearly. With the local coordinates p and a of the elements,
//
//   P = r + R p,    u = R a,
//
// four independent elements (one of them a point) determine r and the columns of R as constant
// linear combinations; in the plane, where R is one complex number, two do. Velocities are the
// rates of the coordinates, the mass matrix is constant, and the constraints that keep a body rigid
// are quadratic: the products of its differences P − P₀ and vectors u are constant. A joint whose
// point or axis is an element of both its bodies needs no equation for it. A point that a joint
// holds on a line of the ground has one coordinate, its place on the line.
//
// A body whose frame the user gave by elements of the model is described by these and no others. In
// space three are enough, the third axis being the product of the first two; the mass matrix is
// then constant only if nothing has mass off their plane.
#include <koppel/equations/kinematics.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <koppel/equations/affine.hpp>

namespace koppel {
namespace {

// The part of an element that others do not determine must be at least this large: nearly dependent
// elements would describe the body badly, and one of its own serves better.
constexpr double kIndependent = 0.1;

// A point or direction fixed to a body, perhaps shared with others through joints.
struct Element {
  std::string name;
  bool is_point = true;
  bool is_made = false;  // has coordinates, or is fixed to the ground
  Vec3e value;           // in world axes
  Vec3<double> guess;
  bool is_given = false;  // by others of the user's
  int line = -1;          // a point on a line of the ground: the joint that says so
};

// An element as a body sees it.
struct Site {
  std::size_t element;
  Vec3e local;
};

class Natural {
 public:
  explicit Natural(const Model& model)
      : model_(model),
        graph_(*model.graph),
        values_(model),
        k_(start_kinematics(model, "natural")),
        sites_(model.bodies.size()) {
    for (const PointOrVector& e : model.elements) {
      elements_.push_back({e.name, e.is_point, true, e.value, {}, e.is_given, -1});
    }
    share_elements();
    for (std::size_t i = 1; i < model.bodies.size(); ++i) describe(i);
    add_inertias();
    for (std::size_t j = 0; j < model.joints.size(); ++j) note_shared(j);
  }

  Kinematics take() { return std::move(k_); }

 private:
  JointLaw::Shared shared(const Joint& joint) const { return joint.law->shared(model_.is_planar); }

  std::size_t add_element(const std::string& name, bool is_point, const Vec3<double>& guess) {
    elements_.push_back({name, is_point, false, {}, guess, false, -1});
    return elements_.size() - 1;
  }

  // The site of a body at these local coordinates, if it has one.
  Site* find_site(int body, const Vec3e& local, bool is_point) {
    for (Site& site : sites_[static_cast<std::size_t>(body)]) {
      if (elements_[site.element].is_point == is_point && site.local.x == local.x &&
          site.local.y == local.y && site.local.z == local.z) {
        return &site;
      }
    }
    return nullptr;
  }

  // Joins an element of the two bodies of a joint. Hinges of three bodies at one point meet in the
  // element that comes first; where both sides have one already, the joint keeps its equation.
  void share(const std::string& name, const Marker& a, const Marker& b, const Vec3e& on_a,
             const Vec3e& on_b, bool is_point, const Vec3<double>& guess) {
    const Site* at_a = a.body == kGround ? nullptr : find_site(a.body, on_a, is_point);
    const Site* at_b = b.body == kGround ? nullptr : find_site(b.body, on_b, is_point);
    if (at_a != nullptr && at_b != nullptr) return;
    const bool to_ground = a.body == kGround || b.body == kGround;
    std::size_t element = 0;
    if (at_a != nullptr) {
      element = at_a->element;
    } else if (at_b != nullptr) {
      element = at_b->element;
    } else {
      element = add_element(name, is_point, guess);
    }
    if (to_ground) {
      if (elements_[element].is_made) return;
      elements_[element].is_made = true;
      elements_[element].value = a.body == kGround ? on_a : on_b;
    }
    if (at_a == nullptr && a.body != kGround) site_of(a.body).push_back({element, on_a});
    if (at_b == nullptr && b.body != kGround) site_of(b.body).push_back({element, on_b});
  }

  // A point on a line that is fixed to the ground has one coordinate, its place on the line.
  void put_on_line(std::size_t index) {
    const Joint& joint = model_.joints[index];
    const Body& body = model_.bodies[static_cast<std::size_t>(joint.b.body)];
    if (joint.a.body != kGround || joint.b.body == kGround || !body.frame.empty()) return;
    const Site* site = find_site(joint.b.body, joint.b.point, true);
    const std::size_t element =
        site != nullptr ? site->element : add_element(joint.name, true, values_.marker(joint.b).r);
    if (elements_[element].is_made || elements_[element].line >= 0) return;
    elements_[element].line = static_cast<int>(index);
    if (site == nullptr) site_of(joint.b.body).push_back({element, joint.b.point});
  }

  std::vector<Site>& site_of(int body) { return sites_[static_cast<std::size_t>(body)]; }

  void share_elements() {
    for (const Joint& joint : model_.joints) {
      const NumericFrame a = values_.marker(joint.a);
      if (shared(joint).point) {
        share(joint.name, joint.a, joint.b, joint.a.point, joint.b.point, true, a.r);
      }
      if (shared(joint).axis) {
        share(joint.name + ".axis", joint.a, joint.b, joint.a.axes.column[2],
              joint.b.axes.column[2], false, a.R.column[2]);
      }
    }
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (shared(model_.joints[j]).line) put_on_line(j);
    }
  }

  // The element's expression, with coordinates made at its first use.
  const Vec3e& value_of(std::size_t index) {
    Element& element = elements_[index];
    const Equations::Owner owner{.name = element.name};
    if (!element.is_made && element.line >= 0) {
      element.is_made = true;
      const Marker& line = model_.joints[static_cast<std::size_t>(element.line)].a;
      const NumericFrame start = values_.marker(line);
      const double place = dot(element.guess - start.r, start.R.column[2]);
      const Expr s = k_.add_coordinate(graph_, element.name + ".s", place, {owner, "m"});
      element.value = line.point + s * line.axes.column[2];
    }
    if (!element.is_made) {
      element.is_made = true;
      const Equations::Unknown about{owner, element.is_point ? "m" : ""};
      for (std::size_t axis = 0; axis < (model_.is_planar ? 2u : 3u); ++axis) {
        element.value[axis] =
            k_.add_coordinate(graph_, element.name + '.' + "xyz"[axis], element.guess[axis], about);
      }
    }
    return element.value;
  }

  // The row (1, p) or (0, a) of a site in numbers.
  std::array<double, 4> row_of(const Site& site) const {
    const Vec3<double> p = values_(site.local);
    return {elements_[site.element].is_point ? 1.0 : 0.0, p.x, p.y, p.z};
  }

  // Chooses the body's elements: shared ones first, in the order of the joints, as long as they add
  // to what is determined (Gram-Schmidt with a threshold for round-off), then own ones.
  std::vector<Site> choose_basis(std::size_t index) {
    const Body& body = model_.bodies[index];
    const NumericFrame start = values_.body(static_cast<int>(index));
    const double size = length_scale(index);
    std::vector<std::array<double, 4>> orthonormal;
    std::vector<Site> basis;
    const std::size_t needed = model_.is_planar ? 2 : 4;
    const auto try_add = [&](const Site& site) {
      if (basis.size() == needed) return;
      std::array<double, 4> row = row_of(site);
      for (std::size_t c = 1; c < 4; ++c) row[c] /= elements_[site.element].is_point ? size : 1;
      if (model_.is_planar) {
        // Complex numbers: a second point at another place, or any direction, determines all.
        if (basis.empty()
                ? !elements_[site.element].is_point
                : elements_[site.element].is_point &&
                      std::hypot(row[1] - orthonormal[0][1], row[2] - orthonormal[0][2]) < 1e-6) {
          return;
        }
        orthonormal.push_back(row);
        basis.push_back(site);
        return;
      }
      const double before = length(row);
      for (const auto& other : orthonormal) {
        double product = 0;
        for (std::size_t c = 0; c < 4; ++c) product += row[c] * other[c];
        for (std::size_t c = 0; c < 4; ++c) row[c] -= product * other[c];
      }
      const double rest = length(row);
      if (rest < kIndependent * before) return;
      for (double& c : row) c /= rest;
      orthonormal.push_back(row);
      basis.push_back(site);
    };
    for (const bool points : {true, false}) {
      for (const Site& site : sites_[index]) {
        if (elements_[site.element].is_point == points) try_add(site);
      }
      if (points && basis.empty()) {
        const Vec3<double> centre = start.r + start.R * values_(body.com);
        try_add({add_element(body.name + ".com", true, centre), body.com});
      }
    }
    for (std::size_t axis = 0; axis < (model_.is_planar ? 1u : 3u); ++axis) {
      Vec3e unit;
      unit[axis] = 1;
      if (basis.size() < needed) {
        try_add(
            {add_element(body.name + ".u" + std::to_string(axis + 1), false, start.R.column[axis]),
             unit});
      }
    }
    return basis;
  }

  // The user's, the origin first.
  static std::vector<Site> given_basis(const Body& body) {
    std::vector<Site> basis;
    for (const Body::Site& site : body.frame) {
      basis.push_back({static_cast<std::size_t>(site.element), site.local});
    }
    return basis;
  }

  static double length(const std::array<double, 4>& row) {
    return std::sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
  }

  double length_scale(std::size_t index) const {
    double size = 0;
    for (const Site& site : sites_[index]) {
      if (elements_[site.element].is_point) size = std::max(size, norm(values_(site.local)));
    }
    // Points at the origin but for round-off are one.
    const Body& body = model_.bodies[index];
    const double mass = values_(body.mass), inertia = values_(body.inertia.column[2].z);
    const double gyration = mass > 0 ? std::sqrt(std::abs(inertia) / mass) : 0;
    const double whole = std::max(norm(values_(body.com)), gyration);
    if (size < 1e-6 * whole) return whole;
    return size > 0 ? size : 1;
  }

  void describe(std::size_t index) {
    const Body& body = model_.bodies[index];
    BodyFrame& frame = k_.bodies[index];
    if (body.is_point) {
      describe_point(index);
      return;
    }
    const std::vector<Site> basis = body.frame.empty() ? choose_basis(index) : given_basis(body);
    basis_.resize(std::max(basis_.size(), index + 1));
    for (const Site& site : basis) basis_[index].push_back(site.element);
    if (model_.is_planar) {
      solve_planar(basis, frame);
    } else if (basis.size() == 3) {
      solve_three(basis, frame);
    } else {
      solve_spatial(basis, frame);
    }
    keep_rigid(body, basis);
  }

  // The velocities of all masses, at once: that visits every coordinate once.
  void add_inertias() {
    const std::size_t num_axes = model_.is_planar ? 1 : 3;
    std::vector<Vec3e> vectors;
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyFrame& frame = k_.bodies[i];
      vectors.push_back(frame.r + frame.R * model_.bodies[i].com);
      for (std::size_t j = 0; j < num_axes; ++j) vectors.push_back(frame.R.column[j]);
    }
    const std::vector<Vec3e> rates = rates_of(k_, vectors);
    for (std::size_t i = 1, at = 0; i < model_.bodies.size(); ++i, at += 1 + num_axes) {
      const Body& body = model_.bodies[i];
      const auto begin = rates.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t count = body.is_point ? 1 : 1 + num_axes;
      for (std::size_t j = 1; j < count; ++j) {
        k_.bodies[i].omega += (model_.is_planar ? Expr(1) : Expr(0.5)) *
                              cross(vectors[at + j], begin[static_cast<std::ptrdiff_t>(j)]);
      }
      k_.inertias.push_back(affine_inertia(
          body, {begin, begin + static_cast<std::ptrdiff_t>(count)}, model_.is_planar));
    }
  }

  void describe_point(std::size_t index) {
    const Body& body = model_.bodies[index];
    BodyFrame& frame = k_.bodies[index];
    frame.R = body.rotation;
    const Site site = !body.frame.empty() ? given_basis(body)[0] : point_site(index);
    frame.r = value_of(site.element) - frame.R * site.local;
    basis_.resize(std::max(basis_.size(), index + 1));
    basis_[index].push_back(site.element);
  }

  // The first point that joints share with others, or the body's own. (Axes say nothing of a point
  // mass, which does not turn.)
  Site point_site(std::size_t index) {
    for (const Site& site : sites_[index]) {
      if (elements_[site.element].is_point) return site;
    }
    const Body& body = model_.bodies[index];
    const NumericFrame start = values_.body(static_cast<int>(index));
    const Vec3<double> centre = start.r + start.R * values_(body.com);
    return {add_element(body.name + ".com", true, centre), body.com};
  }

  // With complex numbers, P = r + p d and u = a d: d = (P₂ − P₁)/(p₂ − p₁) or u/a, r = P₁ − p₁ d.
  void solve_planar(const std::vector<Site>& basis, BodyFrame& frame) {
    const Vec3e first = value_of(basis[0].element), second = value_of(basis[1].element);
    const bool two_points = elements_[basis[1].element].is_point;
    const Vec3e numerator = two_points ? second - first : second;
    const Vec3e divisor = two_points ? basis[1].local - basis[0].local : basis[1].local;
    const Expr scale = 1 / (divisor.x * divisor.x + divisor.y * divisor.y);
    const Expr c = divisor.x * scale, s = divisor.y * scale;
    const Vec3e d{c * numerator.x + s * numerator.y, c * numerator.y - s * numerator.x, 0};
    frame.R.column[0] = d;
    frame.R.column[1] = {-d.y, d.x, 0};
    frame.r = first - frame.R * basis[0].local;
  }

  // With O at the origin, A on the x axis and B in the x-y plane: x = A/a₁, y = (B − b₁ x)/b₂.
  void solve_three(const std::vector<Site>& basis, BodyFrame& frame) {
    const Vec3e &a = basis[1].local, &b = basis[2].local;
    const Vec3e x = 1 / a.x * difference(basis, 1);
    const Vec3e y = 1 / b.y * (difference(basis, 2) - b.x * x);
    frame.r = value_of(basis[0].element);
    frame.R = {{x, y, cross(x, y)}};
  }

  // An element in world axes, a point relative to the body's first one.
  Vec3e difference(const std::vector<Site>& basis, std::size_t i) {
    const Vec3e own = value_of(basis[i].element);
    return elements_[basis[i].element].is_point ? own - value_of(basis[0].element) : own;
  }
  // The same in the body frame.
  Vec3e local_difference(const std::vector<Site>& basis, std::size_t i) const {
    return elements_[basis[i].element].is_point ? basis[i].local - basis[0].local : basis[i].local;
  }

  // Gauss–Jordan elimination on the rows (1, p | P), (0, a | u), pivots chosen in numbers.
  void solve_spatial(const std::vector<Site>& basis, BodyFrame& frame) {
    std::array<std::array<Expr, 4>, 4> A;
    std::array<Vec3e, 4> right;
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3e& p = basis[i].local;
      A[i] = {elements_[basis[i].element].is_point ? 1 : 0, p.x, p.y, p.z};
      right[i] = value_of(basis[i].element);
    }
    for (std::size_t c = 0; c < 4; ++c) {
      std::size_t pivot = c;
      for (std::size_t i = c + 1; i < 4; ++i) {
        if (std::abs(values_(A[i][c])) > std::abs(values_(A[pivot][c]))) pivot = i;
      }
      std::swap(A[c], A[pivot]);
      std::swap(right[c], right[pivot]);
      const Expr inverse = 1 / A[c][c];
      for (Expr& entry : A[c]) entry = inverse * entry;
      right[c] = inverse * right[c];
      for (std::size_t i = 0; i < 4; ++i) {
        const Expr factor = A[i][c];
        if (i == c || factor.is_constant(0)) continue;
        for (std::size_t j = 0; j < 4; ++j) A[i][j] -= factor * A[c][j];
        right[i] -= factor * right[c];
      }
    }
    frame.r = right[0];
    frame.R = {{right[1], right[2], right[3]}};
  }

  // The products of the differences to the first point and of the vectors are what they are in the
  // body frame. Rows that another body wrote already are left out; so are those between elements
  // that the user gave by others.
  void keep_rigid(const Body& body, const std::vector<Site>& basis) {
    const auto is_given = [&](std::size_t i) {
      const Element &own = elements_[basis[i].element], &first = elements_[basis[0].element];
      return own.is_given && (!own.is_point || first.is_given);
    };
    int part = 0;
    for (std::size_t i = 1; i < basis.size(); ++i) {
      for (std::size_t j = 1; j <= i; ++j) {
        if (is_given(i) && is_given(j)) continue;
        const Expr residual = dot(difference(basis, i), difference(basis, j)) -
                              dot(local_difference(basis, i), local_difference(basis, j));
        if (!written_.insert(residual.id()).second) continue;
        const auto owner =
            owner_of_body(model_, static_cast<std::size_t>(&body - &model_.bodies[0]));
        const std::string what = ".rigid" + std::to_string(j) + std::to_string(i);
        k_.internal.push_back({{body.name + what, owner, part++}, residual});
      }
    }
  }

  bool is_in_basis(int body, std::size_t element) const {
    if (body == kGround) return elements_[element].is_made;
    const auto index = static_cast<std::size_t>(body);
    if (index >= basis_.size()) return false;
    const auto& basis = basis_[index];
    return std::find(basis.begin(), basis.end(), element) != basis.end();
  }

  // Whether the joint's point and axis are elements in the bases of both its bodies.
  void note_shared(std::size_t j) {
    const Joint& joint = model_.joints[j];
    Kinematics::JointState& state = k_.joints[j];
    const auto is_shared = [&](const Vec3e& on_a, const Vec3e& on_b, bool is_point) {
      const Site* a = joint.a.body == kGround ? nullptr : find_site(joint.a.body, on_a, is_point);
      const Site* b = joint.b.body == kGround ? nullptr : find_site(joint.b.body, on_b, is_point);
      if (a == nullptr && b == nullptr) return false;
      if (a != nullptr && b != nullptr && a->element != b->element) return false;
      const std::size_t element = a != nullptr ? a->element : b->element;
      return is_in_basis(joint.a.body, element) && is_in_basis(joint.b.body, element) &&
             (joint.a.body != kGround && joint.b.body != kGround
                  ? true
                  : is_fixed_by(joint, element, on_a, on_b));
    };
    if (shared(joint).line) {
      const Site* site =
          joint.b.body == kGround ? nullptr : find_site(joint.b.body, joint.b.point, true);
      state.is_satisfied = site != nullptr &&
                           elements_[site->element].line == static_cast<int>(j) &&
                           is_in_basis(joint.b.body, site->element);
    }
    state.shares_point = shared(joint).point && is_shared(joint.a.point, joint.b.point, true);
    state.shares_axis =
        shared(joint).axis && is_shared(joint.a.axes.column[2], joint.b.axes.column[2], false);
  }

  // For a joint to the ground: whether the element is fixed at this joint's place.
  bool is_fixed_by(const Joint& joint, std::size_t element, const Vec3e& on_a,
                   const Vec3e& on_b) const {
    const Vec3e& place = joint.a.body == kGround ? on_a : on_b;
    const Vec3e& value = elements_[element].value;
    return value.x == place.x && value.y == place.y && value.z == place.z;
  }

  const Model& model_;
  Graph& graph_;
  ParameterValues values_;
  Kinematics k_;
  std::vector<Element> elements_;
  std::vector<std::vector<Site>> sites_;         // of each body
  std::vector<std::vector<std::size_t>> basis_;  // the elements that describe each body
  std::unordered_set<NodeId> written_;           // the rows that keep bodies rigid
};

}  // namespace

Kinematics make_natural(const Model& model) { return Natural(model).take(); }

}  // namespace koppel
