/* The Runge-Kutta method of Dormand and Prince of order 8, with error estimates of orders 5 and 3,
 * step control, and what an interpolation of order 7 needs [Hairer, Norsett & Wanner 1993, sections
 * II.5, II.6, II.10]. C99; called in process and pasted into exports. No allocation.
 *
 * Stage i is taken at t + c_i h, y + h sum_j a_ij k_j. Stages 0 .. 11 make the step (weights b),
 * stage 12 is the rate at its end, stages 13 .. 15 serve the interpolation only. A test checks the
 * conditions of order.
 */
#ifndef KOPPEL_RUNTIME_DOP853_H
#define KOPPEL_RUNTIME_DOP853_H

#include <math.h>

#ifndef KOPPEL_RUNTIME_STEP_CONTROL_H /* where it is not pasted before */
#include <koppel/runtime/step_control.h>
#endif

#ifndef KOPPEL_DATA /* the same of numbers */
#ifdef __GNUC__
#define KOPPEL_DATA static const __attribute__((unused))
#else
#define KOPPEL_DATA static const
#endif
#endif
#ifndef KOPPEL_UNROLL /* before a loop whose indices are to be known when it is compiled */
#define KOPPEL_UNROLL
#endif
#ifndef KOPPEL_REAL /* of states and rates; times and lengths of steps are in double precision */
#define KOPPEL_REAL double
#endif

enum { KOPPEL_DOP853_STAGES = 12, KOPPEL_DOP853_ALL_STAGES = 16 };

typedef struct {
  int stage;
  double value;
} koppel_weight;
typedef struct {
  const koppel_weight* weights;
  int count;
} koppel_weights;

KOPPEL_DATA double koppel_dop853_c[] = {0,
                                        0.052600151958767731879,
                                        0.078900227938151597818,
                                        0.11835034190722739673,
                                        0.28164965809277260327,
                                        1.0 / 3,
                                        0.25,
                                        4.0 / 13,
                                        127.0 / 195,
                                        0.6,
                                        6.0 / 7,
                                        1,
                                        1,
                                        0.1,
                                        0.2,
                                        7.0 / 9};
KOPPEL_DATA koppel_weight koppel_dop853_a1[] = {{0, 0.052600151958767731879}};
KOPPEL_DATA koppel_weight koppel_dop853_a2[] = {{0, 0.019725056984537899454},
                                                {1, 0.059175170953613698363}};
KOPPEL_DATA koppel_weight koppel_dop853_a3[] = {{0, 0.029587585476806849182},
                                                {2, 0.088762756430420547545}};
KOPPEL_DATA koppel_weight koppel_dop853_a4[] = {
    {0, 0.2413651341592666855}, {2, -0.88454947932828608534}, {3, 0.92483400326179200312}};
KOPPEL_DATA koppel_weight koppel_dop853_a5[] = {
    {0, 0.037037037037037037037}, {3, 0.17082860872947387128}, {4, 0.12546768756682242502}};
KOPPEL_DATA koppel_weight koppel_dop853_a6[] = {
    {0, 0.037109375}, {3, 0.17025221101954403931}, {4, 0.060216538980455960685}, {5, -0.017578125}};
KOPPEL_DATA koppel_weight koppel_dop853_a7[] = {{0, 0.037092000118504792711},
                                                {3, 0.17038392571223999381},
                                                {4, 0.10726203044637328465},
                                                {5, -0.015319437748624401753},
                                                {6, 0.0082737891638140228876}};
KOPPEL_DATA koppel_weight koppel_dop853_a8[] = {
    {0, 0.62411095871607571711}, {3, -3.3608926294469412941}, {4, -0.86821934684172600682},
    {5, 27.592099699446708305},  {6, 20.154067550477893409},  {7, -43.489884181069958848}};
KOPPEL_DATA koppel_weight koppel_dop853_a9[] = {
    {0, 0.47766253643826436589},  {3, -2.4881146199716676419}, {4, -0.59029082683684299637},
    {5, 21.230051448181194235},   {6, 15.279233632882423583},  {7, -33.288210968984862919},
    {8, -0.020331201708508626136}};
KOPPEL_DATA koppel_weight koppel_dop853_a10[] = {
    {0, -0.93714243008598732572}, {3, 5.1863724288440637083},  {4, 1.0914373489967295782},
    {5, -8.1497870107469261251},  {6, -18.520065659996959864}, {7, 22.739487099350504282},
    {8, 2.4936055526796523899},   {9, -3.0467644718982195004}};
KOPPEL_DATA koppel_weight koppel_dop853_a11[] = {
    {0, 2.2733101475165382079},  {3, -10.534495466737250198}, {4, -2.0008720582248624991},
    {5, -17.958931863118798917}, {6, 27.948884529419960051},  {7, -2.8589982771350236947},
    {8, -8.8728569335306295443}, {9, 12.360567175794303065},  {10, 0.64339274601576353036}};
KOPPEL_DATA koppel_weight koppel_dop853_b[] = {
    {0, 0.054293734116568762238}, {5, 4.4503128927524088814},   {6, 1.891517899314500383},
    {7, -5.8012039600105847815},  {8, 0.31116436695781989441},  {9, -0.15216094966251607856},
    {10, 0.20136540080403034837}, {11, 0.044710615727772590518}};
KOPPEL_DATA koppel_weight koppel_dop853_a13[] = {
    {0, 0.056167502283047952339},   {6, 0.25350021021662481109},
    {7, -0.24623903747080248992},   {8, -0.12419142326381636047},
    {9, 0.15329179827876569731},    {10, 0.0082010522956346898849},
    {11, 0.0075678976605456997614}, {12, -0.008298}};
KOPPEL_DATA koppel_weight koppel_dop853_a14[] = {
    {0, 0.031834648163502140506},    {5, 0.028300909672366775529},
    {6, 0.053541988307438567622},    {7, -0.054923748571390988465},
    {10, -1.0834732869724932286e-4}, {11, 0.00038257109083565841295},
    {12, -0.0003404650086874045608}, {13, 0.14131244367463250028}};
KOPPEL_DATA koppel_weight koppel_dop853_a15[] = {
    {0, -0.42889630158379192341}, {5, -4.6976214153611638431}, {6, 7.6834211960625990418},
    {7, 4.0689898183971100797},   {8, 0.35672718745528110927}, {12, -0.0013990241651590146213},
    {13, 2.947514789152772339},   {14, -9.1509584721798700108}};
KOPPEL_DATA koppel_weight koppel_dop853_error3[] = {
    {0, -0.18980075407240761571}, {5, 4.4503128927524088814},   {6, 1.891517899314500383},
    {7, -5.8012039600105847815},  {8, -0.42268232132379196293}, {9, -0.15216094966251607856},
    {10, 0.20136540080403034837}, {11, 0.022651792198360825812}};
KOPPEL_DATA koppel_weight koppel_dop853_error5[] = {
    {0, 0.013120044994194880733},  {5, -1.2251564463762044407},   {6, -0.49575894965725019152},
    {7, 1.664377182454986537},     {8, -0.35032884874997368169},  {9, 0.33417911871301747903},
    {10, 0.081923206485115712466}, {11, -0.022355307863886295259}};
KOPPEL_DATA koppel_weight koppel_dop853_d4[] = {
    {0, -8.4289382761090128651}, {5, 0.56671495351937776963},  {6, -3.0689499459498916913},
    {7, 2.3846676565120698288},  {8, 2.1170345824450282767},   {9, -0.87139158377797299207},
    {10, 2.2404374302607882759}, {11, 0.63157877876946881816}, {12, -0.088990336451333310821},
    {13, 18.148505520854727257}, {14, -9.1946323924783554},    {15, -4.4360363875948939664}};
KOPPEL_DATA koppel_weight koppel_dop853_d5[] = {
    {0, 10.427508642579134603},   {5, 242.28349177525818288},   {6, 165.20045171727028199},
    {7, -374.5467547226902028},   {8, -22.113666853125306036},  {9, 7.733432668472263839},
    {10, -30.674084731089398182}, {11, -9.332130526430227873},  {12, 15.697238121770843886},
    {13, -31.139403219565177677}, {14, -9.3529243588444783866}, {15, 35.816841486394083752}};
KOPPEL_DATA koppel_weight koppel_dop853_d6[] = {
    {0, 19.985053242002433821},   {5, -387.03730874935176555},  {6, -189.17813819516756883},
    {7, 527.80815920542364901},   {8, -11.573902539959630126},  {9, 6.881232694696300017},
    {10, -1.0006050966910838403}, {11, 0.77771377980534432093}, {12, -2.7782057523535084066},
    {13, -60.196695231264120758}, {14, 84.320405506677161018},  {15, 11.992291136182789328}};
KOPPEL_DATA koppel_weight koppel_dop853_d7[] = {
    {0, -25.693933462703749003}, {5, -154.18974869023643374},  {6, -231.52937917604549568},
    {7, 357.63911791061412378},  {8, 93.405324183624310004},   {9, -37.458323136451633157},
    {10, 104.09964950896230045}, {11, 29.840293426660503123},  {12, -43.533456590011143754},
    {13, 96.324553959188282948}, {14, -39.177261675615439165}, {15, -149.72683625798562581}};

#define KOPPEL_ROW(row) \
  { row, (int)(sizeof row / sizeof row[0]) }
/* Rows of a; row 12 is b. */
KOPPEL_DATA koppel_weights koppel_dop853_a[] = {{0, 0},
                                                KOPPEL_ROW(koppel_dop853_a1),
                                                KOPPEL_ROW(koppel_dop853_a2),
                                                KOPPEL_ROW(koppel_dop853_a3),
                                                KOPPEL_ROW(koppel_dop853_a4),
                                                KOPPEL_ROW(koppel_dop853_a5),
                                                KOPPEL_ROW(koppel_dop853_a6),
                                                KOPPEL_ROW(koppel_dop853_a7),
                                                KOPPEL_ROW(koppel_dop853_a8),
                                                KOPPEL_ROW(koppel_dop853_a9),
                                                KOPPEL_ROW(koppel_dop853_a10),
                                                KOPPEL_ROW(koppel_dop853_a11),
                                                KOPPEL_ROW(koppel_dop853_b),
                                                KOPPEL_ROW(koppel_dop853_a13),
                                                KOPPEL_ROW(koppel_dop853_a14),
                                                KOPPEL_ROW(koppel_dop853_a15)};
/* The result minus those of lower order. */
KOPPEL_DATA koppel_weights koppel_dop853_e3 = KOPPEL_ROW(koppel_dop853_error3);
KOPPEL_DATA koppel_weights koppel_dop853_e5 = KOPPEL_ROW(koppel_dop853_error5);
/* Of the highest four coefficients of the interpolation. */
KOPPEL_DATA koppel_weights koppel_dop853_d[] = {
    KOPPEL_ROW(koppel_dop853_d4), KOPPEL_ROW(koppel_dop853_d5), KOPPEL_ROW(koppel_dop853_d6),
    KOPPEL_ROW(koppel_dop853_d7)};
#undef KOPPEL_ROW

/* What is integrated. `rate`: 0 where there are finite rates. `arrive` is called at the end of a
 * step with its state, which it may move onto constraints, and gives the rates there; what it
 * returns, if not 0, is the reason why the step is not taken. */
typedef struct {
  int n;
  int (*rate)(void* context, double t, const KOPPEL_REAL* y, KOPPEL_REAL* rate);
  int (*arrive)(void* context, double t, KOPPEL_REAL* y, KOPPEL_REAL* rate);
  void* context;
} koppel_ode;
#ifdef KOPPEL_ODE_BY_NAME /* of accurate.h: a card does not like to call through pointers */
KOPPEL_INLINE int koppel_accurate_rate(void* context, double t, const KOPPEL_REAL* y,
                                       KOPPEL_REAL* rate);
KOPPEL_INLINE int koppel_accurate_arrive(void* context, double t, KOPPEL_REAL* y,
                                         KOPPEL_REAL* rate);
#define KOPPEL_ODE_RATE(ode, t, y, rates) koppel_accurate_rate((ode)->context, t, y, rates)
#define KOPPEL_ODE_ARRIVE(ode, t, y, rates) koppel_accurate_arrive((ode)->context, t, y, rates)
#else
#define KOPPEL_ODE_RATE(ode, t, y, rates) (ode)->rate((ode)->context, t, y, rates)
#define KOPPEL_ODE_ARRIVE(ode, t, y, rates) (ode)->arrive((ode)->context, t, y, rates)
#endif

/* A step from t0, y0 (rates k[0]) to t1, y1 (rates k[12]), and the one to try next. The caller owns
 * what the pointers lead to: n numbers each. k[13] .. k[15] are for interpolation only. */
typedef struct {
  double t0, t1, h;
  KOPPEL_REAL *y0, *y1, *stage, *k[KOPPEL_DOP853_ALL_STAGES];
  double tolerance, scale; /* error <= tolerance * max(|y|, scale) */
  double old_error;
  int was_rejected;
  long num_rejected;
  int32_t num_tries; /* since the start, for koppel_dop853_bounded_step */
} koppel_dop853;

enum {
  KOPPEL_NO_RATES = 1,
  KOPPEL_NOT_PROJECTED = 2,
  KOPPEL_TOO_ROUGH = 3,
  KOPPEL_TOO_MANY_TRIES = 4
};
/* So many steps, taken or rejected, are tried within one step of an export or a batch. */
enum { KOPPEL_DOP853_MOST_TRIES = 100000 };

/* At t, with y1 and k[12] set. */
KOPPEL_INLINE void koppel_dop853_init(koppel_dop853* s, double t, double h, double tolerance,
                                      double scale) {
  s->t0 = s->t1 = t;
  s->h = h;
  s->tolerance = tolerance;
  s->scale = scale;
  s->old_error = 1e-4;
  s->was_rejected = 0;
  s->num_rejected = 0;
  s->num_tries = 0;
}

/* out = h sum weight k */
KOPPEL_INLINE void koppel_dop853_combine(koppel_weights row, double h, KOPPEL_REAL* const* k, int n,
                                         KOPPEL_REAL* out) {
  int j, i;
  KOPPEL_UNROLL
  for (i = 0; i < n; ++i) out[i] = 0;
  KOPPEL_UNROLL
  for (j = 0; j < row.count; ++j) {
    const KOPPEL_REAL factor = (KOPPEL_REAL)(h * row.weights[j].value);
    const KOPPEL_REAL* const from = k[row.weights[j].stage];
    KOPPEL_UNROLL
    for (i = 0; i < n; ++i) out[i] += factor * from[i];
  }
}

/* out += y0 */
KOPPEL_INLINE void koppel_dop853_add_start(const koppel_dop853* s, int n, KOPPEL_REAL* out) {
  int i;
  KOPPEL_UNROLL
  for (i = 0; i < n; ++i) out[i] += s->y0[i];
}

KOPPEL_INLINE void koppel_dop853_copy(KOPPEL_REAL* to, const KOPPEL_REAL* from, int n) {
  int i;
  KOPPEL_UNROLL
  for (i = 0; i < n; ++i) to[i] = from[i];
}

KOPPEL_INLINE int koppel_dop853_evaluate_stage(koppel_dop853* s, const koppel_ode* ode, int stage,
                                               double h) {
  const double t = s->t0 + koppel_dop853_c[stage] * h;
#ifdef KOPPEL_LIKE_A_CARD /* all indices of k are known when this is compiled: it is in registers \
                           */
  int j, reason;
  KOPPEL_UNROLL
  for (j = 1; j < KOPPEL_DOP853_STAGES; ++j) {
    if (j == stage) koppel_dop853_combine(koppel_dop853_a[j], h, s->k, ode->n, s->stage);
  }
  koppel_dop853_add_start(s, ode->n, s->stage);
  reason = KOPPEL_ODE_RATE(ode, t, s->stage, s->y1);
  KOPPEL_UNROLL
  for (j = 1; j < KOPPEL_DOP853_STAGES; ++j) {
    if (j == stage) koppel_dop853_copy(s->k[j], s->y1, ode->n);
  }
  return reason;
#else
  koppel_dop853_combine(koppel_dop853_a[stage], h, s->k, ode->n, s->stage);
  koppel_dop853_add_start(s, ode->n, s->stage);
  return KOPPEL_ODE_RATE(ode, t, s->stage, s->k[stage]);
#endif
}

/* The end of the last step is the start of this one; and back. */
KOPPEL_INLINE void koppel_dop853_swap(koppel_dop853* s) {
  KOPPEL_REAL* const y = s->y0;
  KOPPEL_REAL* const k = s->k[0];
  s->y0 = s->y1;
  s->y1 = y;
  s->k[0] = s->k[KOPPEL_DOP853_STAGES];
  s->k[KOPPEL_DOP853_STAGES] = k;
}
#ifdef KOPPEL_LIKE_A_CARD
KOPPEL_INLINE void koppel_dop853_begin(koppel_dop853* s, int n) {
  koppel_dop853_copy(s->y0, s->y1, n);
  koppel_dop853_copy(s->k[0], s->k[KOPPEL_DOP853_STAGES], n);
}
KOPPEL_INLINE void koppel_dop853_go_back(koppel_dop853* s, int n) {
  koppel_dop853_copy(s->y1, s->y0, n);
  koppel_dop853_copy(s->k[KOPPEL_DOP853_STAGES], s->k[0], n);
}
#else
#define koppel_dop853_begin(s, n) koppel_dop853_swap(s)
#define koppel_dop853_go_back(s, n) koppel_dop853_swap(s)
#endif

/* The stages and y1, before it arrives. 0: done. */
KOPPEL_INLINE int koppel_dop853_take(koppel_dop853* s, const koppel_ode* ode, double h) {
  int stage;
  for (stage = 1; stage < KOPPEL_DOP853_STAGES; ++stage) {
    if (koppel_dop853_evaluate_stage(s, ode, stage, h) != 0) return KOPPEL_NO_RATES;
  }
  koppel_dop853_combine(koppel_dop853_a[KOPPEL_DOP853_STAGES], h, s->k, ode->n, s->y1);
  koppel_dop853_add_start(s, ode->n, s->y1);
  return 0;
}

/* The largest |e| relative to max(|a|, |b|, scale); infinite where something is not finite. */
KOPPEL_INLINE double koppel_error_norm(const KOPPEL_REAL* e, const KOPPEL_REAL* a,
                                       const KOPPEL_REAL* b, int n, double scale) {
  double norm = 0;
  int i, finite = 1;
  KOPPEL_UNROLL
  for (i = 0; i < n; ++i) {
    const double size_a = fabs(a[i]), size_b = fabs(b[i]);
    const double larger = size_a < size_b ? size_b : size_a;
    const double ratio = fabs(e[i]) / (larger < scale ? scale : larger);
    if (norm < ratio) norm = ratio;
    finite = finite && ratio <= 1.7e308 && size_b <= 1.7e308;
  }
  return finite ? norm : HUGE_VAL;
}

/* The estimated error of y1 over what is allowed. */
KOPPEL_INLINE double koppel_dop853_error(koppel_dop853* s, int n, double h) {
  double e3, e5;
  koppel_dop853_combine(koppel_dop853_e5, h, s->k, n, s->stage);
  e5 = koppel_error_norm(s->stage, s->y0, s->y1, n, s->scale);
  koppel_dop853_combine(koppel_dop853_e3, h, s->k, n, s->stage);
  e3 = koppel_error_norm(s->stage, s->y0, s->y1, n, s->scale);
  return koppel_dop853_both(e5, e3, s->tolerance);
}

#define KOPPEL_DOP853_EPSILON (sizeof(KOPPEL_REAL) == 4 ? 1.1920929e-07 : 2.220446049250313e-16)

/* What follows from a try, from t0: it is accurate enough, `power` and `old_power` being those of
 * the errors. */
KOPPEL_INLINE void koppel_dop853_accept(koppel_dop853* s, koppel_dop853_try tried, double t_end,
                                        double error, double power, double old_power) {
  const double growth = koppel_dop853_growth(power, old_power, s->was_rejected);
  s->old_error = koppel_dop853_remembered(error);
  s->was_rejected = 0;
  s->h = koppel_dop853_after(tried.wanted, tried.h, tried.t1, t_end, growth);
  s->t1 = tried.t1;
  ++s->num_tries;
}

/* The step to try next, from t0 again. 0: there is none that is worth it. */
KOPPEL_INLINE double koppel_dop853_reject(koppel_dop853* s, koppel_dop853_try tried, double t_end,
                                          double shrink) {
  ++s->num_rejected;
  ++s->num_tries;
  s->was_rejected = 1;
  s->h = tried.h * shrink;
  return koppel_dop853_again(s->t0, s->h, t_end, KOPPEL_DOP853_EPSILON);
}

/* One step that is accurate enough, not beyond t_end and not longer than max_step (0: any). 0:
 * done, t1 is the time reached. Else the reason; y1 is as it was. */
KOPPEL_INLINE int koppel_dop853_step(koppel_dop853* s, const koppel_ode* ode, double t_end,
                                     double max_step) {
  /* A step to try that is none, in a state filled by hand: all the way. */
  double h = s->h > 0 ? s->h : t_end - s->t1;
  s->t0 = s->t1;
  koppel_dop853_begin(s, ode->n);
  for (;;) {
    const koppel_dop853_try tried = koppel_dop853_propose(s->t0, h, t_end, max_step);
    double shrink = 0.25;
    int reason = koppel_dop853_take(s, ode, tried.h);
    if (reason == 0) {
      const double error = koppel_dop853_error(s, ode->n, tried.h);
      reason = error <= 1 ? KOPPEL_ODE_ARRIVE(ode, tried.t1, s->y1, s->k[KOPPEL_DOP853_STAGES])
                          : KOPPEL_TOO_ROUGH;
      if (reason == 0 || reason == KOPPEL_TOO_ROUGH) {
        const double power = koppel_power_of(koppel_dop853_counted(error), KOPPEL_DOP853_EXPONENT);
        if (reason == 0) {
          const double old_power = koppel_power_of(s->old_error, KOPPEL_DOP853_BETA);
          koppel_dop853_accept(s, tried, t_end, error, power, old_power);
          return 0;
        }
        shrink = koppel_dop853_shrink(error, power);
      }
    }
    h = koppel_dop853_reject(s, tried, t_end, shrink);
    if (h == 0) {
      koppel_dop853_go_back(s, ode->n);
      return reason;
    }
  }
}

/* The same where the time it may take is bounded. Where friction by sign(v) sticks, v crosses 0 in
 * every step, whose error is F h: steps of about tolerance/F are accurate enough, and never end. */
KOPPEL_INLINE int koppel_dop853_bounded_step(koppel_dop853* s, const koppel_ode* ode,
                                             double t_end) {
  if (s->num_tries >= KOPPEL_DOP853_MOST_TRIES) return KOPPEL_TOO_MANY_TRIES;
  return koppel_dop853_step(s, ode, t_end, 0);
}

#endif
