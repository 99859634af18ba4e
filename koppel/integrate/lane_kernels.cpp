#include <koppel/integrate/lane_kernels.hpp>

#include <cassert>

// One text, compiled for the registers that it is given. Nothing is contracted: products are
// rounded before they are added.
#if defined(__x86_64__) && defined(__GNUC__)
#define KOPPEL_FOR(instructions) __attribute__((target(instructions)))
#else
#define KOPPEL_FOR(instructions)
#endif
#define KOPPEL_INTO_CALLER inline __attribute__((always_inline))

namespace koppel {
namespace {

// A row. In memory rows begin at any multiple of eight bytes.
template <int L>
struct Row {
  typedef double Type __attribute__((vector_size(8 * L), aligned(8), may_alias));
  typedef long long Mask __attribute__((vector_size(8 * L)));
};

template <int L>
KOPPEL_INTO_CALLER void combine(koppel_weights row, const double* h, double* const* k, int n,
                                const double* y0, double* out) {
  using Type = typename Row<L>::Type;
  const Type length = *reinterpret_cast<const Type*>(h);
  Type factor[KOPPEL_DOP853_ALL_STAGES];
  const double* from[KOPPEL_DOP853_ALL_STAGES];
  for (int j = 0; j < row.count; ++j) {
    factor[j] = length * row.weights[j].value;
    from[j] = k[row.weights[j].stage];
  }
  for (int i = 0; i < n; ++i) {
    Type sum = {};
    for (int j = 0; j < row.count; ++j) {
      sum += factor[j] * *reinterpret_cast<const Type*>(from[j] + i * L);
    }
    if (y0 != nullptr) sum += *reinterpret_cast<const Type*>(y0 + i * L);
    *reinterpret_cast<Type*>(out + i * L) = sum;
  }
}

template <int L>
KOPPEL_INTO_CALLER void norm(const double* e, const double* a, const double* b, int n, double scale,
                             double* norms) {
  using Type = typename Row<L>::Type;
  using Mask = typename Row<L>::Mask;
  Type largest = {};
  Mask finite = ~Mask{};
  for (int i = 0; i < n; ++i) {
    Type error = *reinterpret_cast<const Type*>(e + i * L);
    Type size_a = *reinterpret_cast<const Type*>(a + i * L);
    Type size_b = *reinterpret_cast<const Type*>(b + i * L);
    error = error < 0 ? -error : error;
    size_a = size_a < 0 ? -size_a : size_a;
    size_b = size_b < 0 ? -size_b : size_b;
    const Type larger = size_a < size_b ? size_b : size_a;
    const Type ratio = error / (larger < scale ? Type{} + scale : larger);
    largest = largest < ratio ? ratio : largest;
    finite &= (ratio <= 1.7e308) & (size_b <= 1.7e308);
  }
  *reinterpret_cast<Type*>(norms) = finite ? largest : Type{} + HUGE_VAL;
}

template <int L>
KOPPEL_INTO_CALLER void check(const double* x, int n, double* sums) {
  using Type = typename Row<L>::Type;
  Type even = *reinterpret_cast<const Type*>(sums), odd = {};  // so that sums wait less
  for (int i = 0; i < n; ++i) {
    (i % 2 == 0 ? even : odd) += 0 * *reinterpret_cast<const Type*>(x + i * L);
  }
  *reinterpret_cast<Type*>(sums) = even + odd;
}

void combine_1(koppel_weights row, const double* h, double* const* k, int n, const double* y0,
               double* out) {
  combine<1>(row, h, k, n, y0, out);
}
KOPPEL_FOR("avx2")
void combine_4(koppel_weights row, const double* h, double* const* k, int n, const double* y0,
               double* out) {
  combine<4>(row, h, k, n, y0, out);
}
KOPPEL_FOR("avx512f,avx512dq")
void combine_8(koppel_weights row, const double* h, double* const* k, int n, const double* y0,
               double* out) {
  combine<8>(row, h, k, n, y0, out);
}
void combine_64(koppel_weights row, const double* h, double* const* k, int n, const double* y0,
                double* out) {
  combine<64>(row, h, k, n, y0, out);
}

void norm_1(const double* e, const double* a, const double* b, int n, double scale, double* out) {
  norm<1>(e, a, b, n, scale, out);
}
KOPPEL_FOR("avx2")
void norm_4(const double* e, const double* a, const double* b, int n, double scale, double* out) {
  norm<4>(e, a, b, n, scale, out);
}
KOPPEL_FOR("avx512f,avx512dq")
void norm_8(const double* e, const double* a, const double* b, int n, double scale, double* out) {
  norm<8>(e, a, b, n, scale, out);
}
void norm_64(const double* e, const double* a, const double* b, int n, double scale, double* out) {
  norm<64>(e, a, b, n, scale, out);
}

void check_1(const double* x, int n, double* sums) { check<1>(x, n, sums); }
KOPPEL_FOR("avx2") void check_4(const double* x, int n, double* sums) { check<4>(x, n, sums); }
KOPPEL_FOR("avx512f,avx512dq")
void check_8(const double* x, int n, double* sums) { check<8>(x, n, sums); }
void check_64(const double* x, int n, double* sums) { check<64>(x, n, sums); }

constexpr LaneKernels kKernels[] = {{1, combine_1, norm_1, check_1},
                                    {4, combine_4, norm_4, check_4},
                                    {8, combine_8, norm_8, check_8},
                                    {64, combine_64, norm_64, check_64}};

}  // namespace

const LaneKernels& lane_kernels(int lanes) {
  for (const LaneKernels& kernels : kKernels) {
    if (kernels.lanes == lanes) return kernels;
  }
  assert(false);
  return kKernels[0];
}

}  // namespace koppel
