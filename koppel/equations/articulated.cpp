#include <koppel/equations/articulated.hpp>

namespace koppel {
namespace {

// A pair of vectors in world axes at a link's joint point: angular and linear acceleration, or
// torque and force.
struct Spatial {
  Vec3e angular, linear;

  Spatial& operator+=(const Spatial& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
  friend Spatial operator*(const Expr& s, const Spatial& a) {
    return {s * a.angular, s * a.linear};
  }
};

Expr dot(const Spatial& a, const Spatial& b) {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}

Mat3e sum(const Mat3e& a, const Mat3e& b) {
  return {{a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]}};
}

// r × of every column.
Mat3e cross(const Vec3e& r, const Mat3e& a) {
  return {{cross(r, a.column[0]), cross(r, a.column[1]), cross(r, a.column[2])}};
}

// The part on and above the diagonal says all, and mirrored it costs nothing.
Mat3e symmetric(Mat3e a) {
  a(1, 0) = a(0, 1), a(2, 0) = a(0, 2), a(2, 1) = a(1, 2);
  return a;
}

// U = I S with the part of each component in D = S·U. Where S is a unit vector one component of U
// is D itself: nothing is left of that row and column of I − U Uᵀ/D, and folding must see it.
struct Elimination {
  Elimination(const Spatial& U_, const Expr& D) : U(U_), by_D(1 / D) {
    for (std::size_t i = 0; i < 3; ++i) {
      share.angular[i] = U.angular[i] == D ? Expr(1) : by_D * U.angular[i];
      share.linear[i] = U.linear[i] == D ? Expr(1) : by_D * U.linear[i];
    }
  }
  // A − a bᵀ/D for two parts of U and their shares in D.
  static Mat3e less(Mat3e A, const Vec3e& a, const Vec3e& share_a, const Vec3e& b,
                    const Vec3e& share_b) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        A(i, j) -= share_b[j].is_constant(1) ? a[i] : share_a[i] * b[j];
      }
    }
    return A;
  }
  Spatial U, share;
  Expr by_D;
};

// The symmetric matrix [A B; Bᵀ C] that takes accelerations to the forces they need.
struct SpatialInertia {
  Mat3e A, B, C;

  Spatial operator*(const Spatial& a) const {
    return {A * a.angular + B * a.linear, transpose(B) * a.angular + C * a.linear};
  }
  SpatialInertia& operator+=(const SpatialInertia& b) {
    A = sum(A, b.A), B = sum(B, b.B), C = sum(C, b.C);
    return *this;
  }
  SpatialInertia& operator-=(const Elimination& e) {
    const Vec3e &n = e.U.angular, &share_n = e.share.angular, &F = e.U.linear,
                &share_F = e.share.linear;
    A = symmetric(Elimination::less(A, n, share_n, n, share_n));
    B = Elimination::less(B, n, share_n, F, share_F);
    C = symmetric(Elimination::less(C, F, share_F, F, share_F));
    return *this;
  }
};

// About the joint point, with the centre of mass at c from it: B = m c̃, A = J − m c̃ c̃.
SpatialInertia inertia_of(const Kinematics::Link& link) {
  SpatialInertia I;
  for (std::size_t k = 0; k < 3; ++k) I.C(k, k) = link.mass;
  I.B = cross(link.com, I.C);
  I.A = symmetric(sum(link.inertia, cross(link.com, transpose(I.B))));
  return I;
}

// The same about a point at −r: with a = a₀ + α × r = a₀ − r̃ α and torque n₀ = n + r × F,
//   B₀ = B + r̃ C,   A₀ = A + r̃ Bᵀ − B₀ r̃ = A + r̃ Bᵀ + (r̃ B₀ᵀ)ᵀ.
SpatialInertia moved(const SpatialInertia& I, const Vec3e& r) {
  SpatialInertia out;
  out.C = I.C;
  out.B = sum(I.B, cross(r, I.C));
  const Mat3e turned = cross(r, transpose(out.B));
  out.A = symmetric(sum(sum(I.A, cross(r, transpose(I.B))), transpose(turned)));
  return out;
}

}  // namespace

// For the k-th freedom of a link, with axis S: with the forces P that act through it from what it
// carries, and inertia I of what it carries,
//   U = I S,   D = S·U,   τ = f_k − S·P,                                                  (1)
//   v̇_k = (τ − U·a)/D,   where a is the acceleration before this freedom,                  (2)
//   I ← I − U Uᵀ/D,   P ← P + U τ/D   before this freedom.                                 (3)
// Several freedoms of one joint are passed one after the other, as if bodies without mass lay
// between them.
std::vector<Expr> articulated_accelerations(const Kinematics& kinematics,
                                            const std::vector<Expr>& f) {
  const std::vector<Kinematics::Link>& links = kinematics.links;
  std::vector<SpatialInertia> I;
  for (const Kinematics::Link& link : links) I.push_back(inertia_of(link));
  std::vector<Spatial> P(links.size());
  std::vector<Spatial> share(f.size());  // U/D
  std::vector<Expr> v_rate(f.size());

  for (std::size_t i = links.size(); i-- > 0;) {
    const Kinematics::Link& link = links[i];
    for (std::size_t k = link.freedoms.size(); k-- > 0;) {
      const Kinematics::Freedom& freedom = link.freedoms[k];
      const Spatial S{freedom.angular, freedom.linear};
      const Spatial U = I[i] * S;
      const Expr D = dot(S, U);
      if (D.is_constant(0))
        return {};  // nothing moves a mass there, as analysis tells (massless.hpp)
      const Elimination elimination(U, D);
      const Expr tau = f[freedom.v] - dot(S, P[i]);
      share[freedom.v] = elimination.share;
      v_rate[freedom.v] = elimination.by_D * tau;
      I[i] -= elimination;
      P[i] += tau * elimination.share;
    }
    if (link.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    I[parent] += moved(I[i], link.lever);
    P[parent] += {P[i].angular + cross(link.lever, P[i].linear), P[i].linear};
  }

  std::vector<Spatial> a(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Kinematics::Link& link = links[i];
    if (link.parent >= 0) {
      const Spatial& parent = a[static_cast<std::size_t>(link.parent)];
      a[i] = {parent.angular, parent.linear + cross(parent.angular, link.lever)};
    }
    for (const Kinematics::Freedom& freedom : link.freedoms) {
      Expr& rate = v_rate[freedom.v];
      rate -= dot(share[freedom.v], a[i]);  // (2)
      a[i] += rate * Spatial{freedom.angular, freedom.linear};
    }
  }
  return v_rate;
}

}  // namespace koppel
