#include <koppel/integrate/lane_kernels.hpp>

#include <cassert>
#include <iterator>

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
  typedef unsigned long long Bits __attribute__((vector_size(8 * L)));
};

template <int L>
KOPPEL_INTO_CALLER const typename Row<L>::Type& load(const double* from) {
  return *reinterpret_cast<const typename Row<L>::Type*>(from);
}

// R rows from the first on go together: factors are loaded once for all, and sums do not wait for
// one another.
template <int L, int R>
KOPPEL_INTO_CALLER void combine_rows(const typename Row<L>::Type* factor, const double* const* from,
                                     int count, const double* y0, double* out, int first) {
  using Type = typename Row<L>::Type;
  Type sum[R] = {};
  for (int j = 0; j < count; ++j) {
    for (int r = 0; r < R; ++r) sum[r] += factor[j] * load<L>(from[j] + (first + r) * L);
  }
  for (int r = 0; r < R; ++r) {
    const int at = (first + r) * L;
    *reinterpret_cast<Type*>(out + at) = sum[r] + load<L>(y0 + at);
  }
}

template <int L>
KOPPEL_INTO_CALLER void combine(koppel_weights row, const double* h, double* const* k, int n,
                                const double* y0, double* out) {
  using Type = typename Row<L>::Type;
  constexpr int kTogether = L <= 8 ? 4 : 1;
  const Type length = load<L>(h);
  Type factor[KOPPEL_DOP853_ALL_STAGES];
  const double* from[KOPPEL_DOP853_ALL_STAGES];
  for (int j = 0; j < row.count; ++j) {
    factor[j] = length * row.weights[j].value;
    from[j] = k[row.weights[j].stage];
  }
  int i = 0;
  for (; i + kTogether <= n; i += kTogether) {
    combine_rows<L, kTogether>(factor, from, row.count, y0, out, i);
  }
  for (; i < n; ++i) combine_rows<L, 1>(factor, from, row.count, y0, out, i);
}

// Both errors are sums of the same rates.
template <int L>
KOPPEL_INTO_CALLER void errors(const double* h, double* const* k, const double* a, const double* b,
                               int n, double scale, double* e5, double* e3) {
  using Type = typename Row<L>::Type;
  using Mask = typename Row<L>::Mask;
  using Bits = typename Row<L>::Bits;
  constexpr unsigned long long kSize = ~0ull >> 1;  // all bits but the sign's
  constexpr int kCount = std::size(koppel_dop853_error5);
  static_assert(std::size(koppel_dop853_error3) == kCount);
  const Type length = load<L>(h);
  Type factor5[kCount], factor3[kCount];
  const double* from[kCount];
  for (int j = 0; j < kCount; ++j) {
    assert(koppel_dop853_error3[j].stage == koppel_dop853_error5[j].stage);
    factor5[j] = length * koppel_dop853_error5[j].value;
    factor3[j] = length * koppel_dop853_error3[j].value;
    from[j] = k[koppel_dop853_error5[j].stage];
  }
  Type largest5 = {}, largest3 = {};
  Mask finite5 = ~Mask{}, finite3 = ~Mask{};
  for (int i = 0; i < n; ++i) {
    Type error5 = {}, error3 = {};
    for (int j = 0; j < kCount; ++j) {
      const Type rate = load<L>(from[j] + i * L);
      error5 += factor5[j] * rate;
      error3 += factor3[j] * rate;
    }
    const Type size_a = (Type)((Bits)load<L>(a + i * L) & kSize);
    const Type size_b = (Type)((Bits)load<L>(b + i * L) & kSize);
    const Type larger = size_a < size_b ? size_b : size_a;
    const Type by = larger < scale ? Type{} + scale : larger;
    const Type ratio5 = (Type)((Bits)error5 & kSize) / by;
    const Type ratio3 = (Type)((Bits)error3 & kSize) / by;
    largest5 = largest5 < ratio5 ? ratio5 : largest5;
    largest3 = largest3 < ratio3 ? ratio3 : largest3;
    finite5 &= (ratio5 <= 1.7e308) & (size_b <= 1.7e308);
    finite3 &= (ratio3 <= 1.7e308) & (size_b <= 1.7e308);
  }
  *reinterpret_cast<Type*>(e5) = finite5 ? largest5 : Type{} + HUGE_VAL;
  *reinterpret_cast<Type*>(e3) = finite3 ? largest3 : Type{} + HUGE_VAL;
}

template <int L>
KOPPEL_INTO_CALLER void check(const double* x, int n, double* sums) {
  using Type = typename Row<L>::Type;
  Type even = load<L>(sums), odd = {};  // so that sums wait less
  for (int i = 0; i < n; ++i) {
    (i % 2 == 0 ? even : odd) += 0 * load<L>(x + i * L);
  }
  *reinterpret_cast<Type*>(sums) = even + odd;
}

template <int L>
KOPPEL_INTO_CALLER void times(const double* t, double c, const double* h, double* out) {
  using Type = typename Row<L>::Type;
  *reinterpret_cast<Type*>(out) = load<L>(t) + c * load<L>(h);
}

// Whole numbers become floating-point ones, and back, as the last bits of 1.5 2^52 + k: AVX2 has no
// instruction for it.
template <int L>
KOPPEL_INTO_CALLER void power(const double* x, double p, double* out) {
  using Type = typename Row<L>::Type;
  using Bits = typename Row<L>::Bits;
  constexpr double kRound = 6755399441055744.0, kLog2 = 0.6931471805599453;
  constexpr unsigned long long kRoundBits = 0x4338000000000000, kBias = 1024;
  const Bits bits = (Bits)load<L>(x);
  const Bits k = ((bits - 0x3fe6a09e667f3bcd + (kBias << 52)) >> 52) - kBias;
  const Type whole = (Type)(k + kRoundBits) - kRound, m = (Type)(bits - (k << 52));
  const Type s = (m - 1) / (m + 1), z = s * s;
  Type sum = ((((1.0 / 23 * z + 1.0 / 21) * z + 1.0 / 19) * z + 1.0 / 17) * z + 1.0 / 15) * z;
  sum += 1.0 / 13;
  sum = (((((sum * z + 1.0 / 11) * z + 1.0 / 9) * z + 1.0 / 7) * z + 1.0 / 5) * z + 1.0 / 3) * z;
  sum += 1;
  const Type y = p * (whole * kLog2 + 2 * s * sum);
  const Type n = y * 1.4426950408889634 + kRound;
  const Type r = y - (n - kRound) * kLog2;
  Type e = ((1.0 / 6227020800.0 * r + 1.0 / 479001600) * r + 1.0 / 39916800) * r + 1.0 / 3628800;
  e = (((e * r + 1.0 / 362880) * r + 1.0 / 40320) * r + 1.0 / 5040) * r + 1.0 / 720;
  e = (((e * r + 1.0 / 120) * r + 1.0 / 24) * r + 1.0 / 6) * r + 1.0 / 2;
  e = (e * r + 1) * r + 1;
  *reinterpret_cast<Type*>(out) = e * (Type)(((Bits)n - kRoundBits + 1023) << 52);
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

void errors_1(const double* h, double* const* k, const double* a, const double* b, int n,
              double scale, double* e5, double* e3) {
  errors<1>(h, k, a, b, n, scale, e5, e3);
}
KOPPEL_FOR("avx2")
void errors_4(const double* h, double* const* k, const double* a, const double* b, int n,
              double scale, double* e5, double* e3) {
  errors<4>(h, k, a, b, n, scale, e5, e3);
}
KOPPEL_FOR("avx512f,avx512dq")
void errors_8(const double* h, double* const* k, const double* a, const double* b, int n,
              double scale, double* e5, double* e3) {
  errors<8>(h, k, a, b, n, scale, e5, e3);
}
void errors_64(const double* h, double* const* k, const double* a, const double* b, int n,
               double scale, double* e5, double* e3) {
  errors<64>(h, k, a, b, n, scale, e5, e3);
}

void check_1(const double* x, int n, double* sums) { check<1>(x, n, sums); }
KOPPEL_FOR("avx2") void check_4(const double* x, int n, double* sums) { check<4>(x, n, sums); }
KOPPEL_FOR("avx512f,avx512dq")
void check_8(const double* x, int n, double* sums) { check<8>(x, n, sums); }
void check_64(const double* x, int n, double* sums) { check<64>(x, n, sums); }

void times_1(const double* t, double c, const double* h, double* out) { times<1>(t, c, h, out); }
KOPPEL_FOR("avx2")
void times_4(const double* t, double c, const double* h, double* out) { times<4>(t, c, h, out); }
KOPPEL_FOR("avx512f,avx512dq")
void times_8(const double* t, double c, const double* h, double* out) { times<8>(t, c, h, out); }
void times_64(const double* t, double c, const double* h, double* out) { times<64>(t, c, h, out); }

void power_1(const double* x, double p, double* out) { power<1>(x, p, out); }
KOPPEL_FOR("avx2") void power_4(const double* x, double p, double* out) { power<4>(x, p, out); }
KOPPEL_FOR("avx512f,avx512dq")
void power_8(const double* x, double p, double* out) { power<8>(x, p, out); }
void power_64(const double* x, double p, double* out) { power<64>(x, p, out); }

constexpr LaneKernels kKernels[] = {{1, combine_1, errors_1, check_1, times_1, power_1},
                                    {4, combine_4, errors_4, check_4, times_4, power_4},
                                    {8, combine_8, errors_8, check_8, times_8, power_8},
                                    {64, combine_64, errors_64, check_64, times_64, power_64}};

}  // namespace

const LaneKernels& lane_kernels(int lanes) {
  for (const LaneKernels& kernels : kKernels) {
    if (kernels.lanes == lanes) return kernels;
  }
  assert(false);
  return kKernels[0];
}

}  // namespace koppel
