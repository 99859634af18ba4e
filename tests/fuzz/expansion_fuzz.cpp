// The Taylor series of a mechanism of two freedoms with any forces (instructions.hpp), with a
// constraint or without, point after point: the tape and the generated routine of a whole expansion
// give the same coefficients, bit by bit, or refuse for the same reason.
#include <koppel/problem/series_solver.hpp>
#include <tests/fuzz/instructions.hpp>

namespace {

using namespace koppel;
using namespace koppel::testing;

constexpr int kOrder = 9;
constexpr int kNumPoints = 12;  // the first expansions are on the tape

// (2 + cos x) x″ + y″/4 + f₁ + λ g_x = 0,  x″/4 + y″ + f₂ + λ g_y = 0,  g = y − 0.3 x² + 0.1 x = 0.
SeriesTerms make_terms(Bytes& bytes, Native native) {
  const bool is_constrained = bytes.next() % 2 == 0;
  SeriesTerms terms;
  Dae& dae = terms.dae;
  dae.graph = std::make_shared<Graph>();
  dae.t = dae.graph->symbol("t");
  const auto [x, y, x1, y1] = dae.graph->symbols("x", "y", "x'", "y'");
  const auto [x2, y2, lambda] = dae.graph->symbols("x''", "y''", "lambda");
  const Expr inputs[] = {x, y, x1, y1};
  const std::vector<Expr> values = make_values(*dae.graph, inputs, bytes);
  const auto last = [&](std::size_t n) { return values[values.size() - n]; };
  const Expr f1 = last(1) + last(3), f2 = last(2) - last(4);
  const Expr pull = is_constrained ? lambda : Expr(0.0);
  dae.unknowns = {{"x", {x, x1, x2}}, {"y", {y, y1, y2}}};
  dae.residuals = {{"x", (2 + cos(x)) * x2 + y2 / 4 + f1 + pull * (0.1 - 0.6 * x)},
                   {"y", x2 / 4 + y2 + f2 + pull}};
  dae.partner = {0, 1};
  if (is_constrained) {
    dae.unknowns.push_back({"lambda", {lambda}});
    dae.residuals.push_back({"g", y - 0.3 * x * x + 0.1 * x});
    dae.partner.push_back(2);
  }
  terms.structure = analyze_structure(dae);
  terms.start.assign(is_constrained ? 8 : 7, 0.25);
  terms.options.native = native;
  return terms;
}

void check(const std::uint8_t* data, std::size_t size) {
  Bytes one(data, size), other(data, size);
  const SeriesSystem by_tape(make_terms(one, Native::Off)), by_code(make_terms(other, Native::Jit));
  SeriesSolver tape(by_tape, kOrder), code(by_code, kOrder);
  for (int p = 0; p < kNumPoints; ++p) {
    for (SeriesSolver* s : {&tape, &code}) {
      s->set_time(0);
      s->set(0, 0, 0.3 * p - 1);
      s->set(1, 0, 0.1 * p - 0.2);
      s->set(0, 1, 0.7 - 0.4 * p);
      s->set(1, 1, 0.2 * p);
    }
    auto status = tape.make_consistent();
    compare(static_cast<int>(status), static_cast<int>(code.make_consistent()),
            "status of a point");
    if (status != SeriesSolver::Status::Ok) continue;
    status = tape.expand();
    compare(static_cast<int>(status), static_cast<int>(code.expand()), "status of an expansion");
    if (status != SeriesSolver::Status::Ok) continue;
    for (int j = 0; j < tape.num_unknowns(); ++j) {
      for (int o = 0; o <= tape.degree(j); ++o) {
        compare(tape.coefficient(j, o), code.coefficient(j, o), "coefficient as machine code");
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(data, size);
  } catch (const Error&) {
    // The forces cannot be differentiated, or contradict the structure.
  }
  return 0;
}
