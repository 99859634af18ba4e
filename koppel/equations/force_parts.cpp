#include <koppel/equations/force_parts.hpp>

#include <algorithm>
#include <span>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {

std::vector<Equations::ForcePart> Origins::parts(const std::vector<Expr>& rates,
                                                 const std::vector<Expr>& efforts,
                                                 const std::vector<Expr>& v,
                                                 const std::vector<Expr>& inertia,
                                                 const std::vector<Expr>& friction) const {
  std::vector<Equations::ForcePart> out;
  const auto put = [&](Equations::ForcePart part) {
    const bool is_zero =
        std::all_of(part.f.begin(), part.f.end(), [](const Expr& e) { return e.is_constant(0); });
    if (!is_zero) out.push_back(std::move(part));
  };
  std::size_t first = 0;
  for (const Origin& origin : origins_) {
    const std::vector<Expr> r(rates.begin() + static_cast<std::ptrdiff_t>(first),
                              rates.begin() + static_cast<std::ptrdiff_t>(first + origin.count));
    const std::vector<Expr> e(efforts.begin() + static_cast<std::ptrdiff_t>(first),
                              efforts.begin() + static_cast<std::ptrdiff_t>(first + origin.count));
    first += origin.count;
    std::vector<Expr> f = vector_times_jacobian(e, r, v);
    if (&origin == &origins_.front()) {
      for (std::size_t i = 0; i < inertia.size(); ++i) f[i] += inertia[i];
    }
    put({origin.name, std::move(f)});
  }
  std::vector<Expr> damping = friction;
  for (Expr& e : damping) e = -e;
  put({"dissipation", std::move(damping)});
  return out;
}

}  // namespace koppel
