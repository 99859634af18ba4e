#include <koppel/export/wasm_accurate.hpp>

#include <fmt/format.h>

#include <koppel/runtime/dop853.h>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/code/c_to_wasm.hpp>
#include <koppel/expr/code/c_tokens.hpp>

namespace koppel {
namespace {

using wasm::Code;
using wasm::Type;

void add_locals(Code& code, Type type, std::initializer_list<const char*> names) {
  for (const char* name : names) code.add_local(type, name);
}

const wasm::CSource& step_control() {
  static const wasm::CSource source = wasm::read_c(kStepControlText);
  return source;
}

class AccurateWasmWriter {
 public:
  AccurateWasmWriter(const WasmRates& rates, wasm::Module& module)
      : r_(rates), module_(module), control_(module, step_control()), bytes_(8 * rates.num_y) {
    for (std::uint32_t* place : {&y0_, &y1_, &stage_}) *place = module.reserve(r_.num_y);
    for (std::uint32_t& place : k_) place = module.reserve(r_.num_y);
  }

  std::uint32_t write() {
    finite_ = add_finite();
    rate_ = add_rate();
    arrive_ = add_arrive();
    combine_ = add_combine();
    take_ = add_take();
    norm_ = add_norm();
    error_ = add_error();
    return add_advance();
  }

 private:
  static constexpr int kLast = KOPPEL_DOP853_STAGES;

  std::string copy(std::uint32_t to, std::uint32_t from) const {
    return fmt::format("i32.const {} i32.const {} i32.const {} memory.copy ", to, from, bytes_);
  }

  // koppel_all_finite
  std::uint32_t add_finite() {
    Code code("at i32 end i32", "i32");
    add_locals(code, Type::F64, {"sum"});
    code.add(R"(
      loop
        local.get at f64.load 0 f64.const 0 f64.mul local.get sum f64.add local.set sum
        local.get at i32.const 8 i32.add local.tee at local.get end i32.lt_u br_if 0
      end
      local.get sum f64.const 0 f64.eq)");
    return module_.add(std::move(code));
  }
  std::string call_finite(std::uint32_t first, std::size_t count) const {
    return fmt::format("i32.const {} i32.const {} call {} ", first, first + 8 * count, finite_);
  }

  // koppel_accurate_rate: 0, or KOPPEL_NO_RATES
  std::uint32_t add_rate() {
    Code code("t f64 y i32 k i32", "i32");
    set_state(code);
    for (const std::uint32_t function : r_.rates) code.call(function);
    code.add(fmt::format("local.get k i32.const {} i32.const {} memory.copy ", r_.rate, bytes_));
    code.add(call_finite(r_.rate, r_.num_y) + "i32.eqz");
    return module_.add(std::move(code));
  }
  void set_state(Code& code) const {
    code.add(
        fmt::format("i32.const 0 local.get t f64.store {} "
                    "i32.const {} local.get y i32.const {} memory.copy",
                    r_.t, r_.y, bytes_));
  }

  // koppel_accurate_arrive
  std::uint32_t add_arrive() {
    Code code("t f64 y i32 k i32", "i32");
    if (!r_.projected.empty()) {
      set_state(code);
      for (const std::uint32_t function : r_.projected) code.call(function);
      code.add(call_finite(r_.moved, r_.num_moved));
      code.add(
          fmt::format("i32.eqz if i32.const {} return end "
                      "local.get y i32.const {} i32.const {} memory.copy",
                      static_cast<int>(KOPPEL_NOT_PROJECTED), r_.moved, 8 * r_.num_moved));
    }
    code.add(fmt::format("local.get t local.get y local.get k call {}", rate_));
    return module_.add(std::move(code));
  }

  // A row of weights: each with the address of its stage's rates.
  std::uint32_t add_row(koppel_weights row) {
    std::vector<double> numbers;
    for (int j = 0; j < row.count; ++j) {
      numbers.push_back(row.weights[j].value);
      numbers.push_back(k_[row.weights[j].stage]);
    }
    return module_.add_data(wasm::bytes_of(numbers));
  }
  std::string call_combine(koppel_weights row, std::uint32_t out) {
    const std::uint32_t first = add_row(row);
    return fmt::format("i32.const {} i32.const {} local.get h i32.const {} call {} ", first,
                       first + static_cast<std::uint32_t>(16 * row.count), out, combine_);
  }

  // koppel_dop853_combine
  std::uint32_t add_combine() {
    Code code("row i32 end i32 h f64 out i32", "");
    add_locals(code, Type::I32, {"to", "from", "last"});
    add_locals(code, Type::F64, {"factor"});
    code.add(fmt::format("local.get out i32.const {} i32.add local.set last", bytes_));
    code.add(R"(
      local.get out local.set to
      loop
        local.get to f64.const 0 f64.store 0
        local.get to i32.const 8 i32.add local.tee to local.get last i32.lt_u br_if 0
      end
      loop
        local.get h local.get row f64.load 0 f64.mul local.set factor
        local.get row f64.load 8 i32.trunc_f64_u local.set from
        local.get out local.set to
        loop
          local.get to local.get to f64.load 0
            local.get factor local.get from f64.load 0 f64.mul f64.add f64.store 0
          local.get from i32.const 8 i32.add local.set from
          local.get to i32.const 8 i32.add local.tee to local.get last i32.lt_u br_if 0
        end
        local.get row i32.const 16 i32.add local.tee row local.get end i32.lt_u br_if 0
      end)");
    return module_.add(std::move(code));
  }
  // to += y0
  std::string add_start(std::uint32_t to) const {
    return fmt::format(
        "i32.const 0 local.set i loop local.get i local.get i f64.load {0} local.get i f64.load "
        "{1} f64.add f64.store {0} local.get i i32.const 8 i32.add local.tee i i32.const {2} "
        "i32.lt_u br_if 0 end ",
        to, y0_, bytes_);
  }

  // koppel_dop853_take from time t
  std::uint32_t add_take() {
    Code code("t f64 h f64", "i32");
    add_locals(code, Type::I32, {"i"});
    for (int stage = 1; stage < kLast; ++stage) {
      code.add(call_combine(koppel_dop853_a[stage], stage_) + add_start(stage_));
      code.add(fmt::format(
          "local.get t f64.const {} local.get h f64.mul f64.add i32.const {} i32.const {} call {} "
          "if i32.const {} return end",
          koppel_dop853_c[stage], stage_, k_[stage], rate_, static_cast<int>(KOPPEL_NO_RATES)));
    }
    code.add(call_combine(koppel_dop853_a[kLast], y1_) + add_start(y1_) + "i32.const 0");
    return module_.add(std::move(code));
  }

  // koppel_error_norm of the stage's numbers
  std::uint32_t add_norm() {
    Code code("", "f64");
    add_locals(code, Type::I32, {"i", "finite"});
    add_locals(code, Type::F64, {"norm", "a", "b", "larger", "ratio"});
    code.add(fmt::format(R"(
      i32.const 1 local.set finite
      loop
        local.get i f64.load {0} f64.abs local.set a
        local.get i f64.load {1} f64.abs local.set b
        local.get b local.get a local.get a local.get b f64.lt select local.set larger
        local.get i f64.load {2} f64.abs
          f64.const {4} local.get larger local.get larger f64.const {4} f64.lt select f64.div
          local.set ratio
        local.get ratio local.get norm local.get norm local.get ratio f64.lt select local.set norm
        local.get finite local.get ratio f64.const 1.7e308 f64.le i32.and
          local.get b f64.const 1.7e308 f64.le i32.and local.set finite
        local.get i i32.const 8 i32.add local.tee i i32.const {3} i32.lt_u br_if 0
      end
      local.get norm f64.const inf local.get finite select)",
                         y0_, y1_, stage_, bytes_, r_.scale));
    return module_.add(std::move(code));
  }

  // koppel_dop853_error
  std::uint32_t add_error() {
    Code code("h f64", "f64");
    for (const koppel_weights& row : {koppel_dop853_e5, koppel_dop853_e3}) {
      code.add(call_combine(row, stage_) + fmt::format("call {} ", norm_));
    }
    code.add(fmt::format("f64.const {} ", r_.tolerance) + call("koppel_dop853_both"));
    return module_.add(std::move(code));
  }

  // A function of runtime/step_control.h.
  std::string call(const std::string& name) { return fmt::format("call {} ", control_[name]); }
  std::string power_of_error() {
    return "local.get error " + call("koppel_dop853_counted") +
           fmt::format("f64.const {} ", KOPPEL_DOP853_EXPONENT) + call("koppel_power_of");
  }

  // koppel_dop853_accept
  std::string accept() {
    return "local.get wanted local.get h local.get t1 local.get t_end " + power_of_error() +
           fmt::format("local.get old_error f64.const {} ", KOPPEL_DOP853_BETA) +
           call("koppel_power_of") + "local.get was_rejected " + call("koppel_dop853_growth") +
           call("koppel_dop853_after") + "local.set next_h local.get error " +
           call("koppel_dop853_remembered") +
           "local.set old_error i32.const 0 local.set was_rejected local.get t1 local.set t ";
  }

  // koppel_dop853_bounded_step within koppel_accurate_advance. What its swap exchanges is copied.
  std::uint32_t add_advance() {
    Code code("t_end f64", "i32");
    add_locals(code, Type::F64,
               {"t", "next_h", "h", "wanted", "shrink", "t1", "error", "old_error"});
    add_locals(code, Type::I32, {"reason", "was_rejected", "tries"});
    code.add(fmt::format("i32.const 0 f64.load {} local.set t i32.const 0 f64.load {} "
                         "local.set next_h f64.const 1e-4 local.set old_error ",
                         r_.t, r_.h) +
             copy(y1_, r_.y) +
             fmt::format("local.get t i32.const {} i32.const {} call {} local.set reason ", y1_,
                         k_[kLast], rate_));
    code.add(R"(
      block loop
      local.get reason br_if 1
      local.get t local.get t_end f64.lt i32.eqz br_if 1
    )");
    code.add(fmt::format(
        "i32.const {} i32.const 0 local.get tries i32.const {} i32.ge_u select "
        "local.tee reason br_if 1",
        static_cast<int>(KOPPEL_TOO_MANY_TRIES), static_cast<int>(KOPPEL_DOP853_MOST_TRIES)));
    code.add(
        "local.get next_h local.get t_end local.get t f64.sub local.get next_h f64.const 0 f64.gt "
        "select local.set h ");
    code.add(copy(y0_, y1_) + copy(k_[0], k_[kLast]) +
             "block loop local.get tries i32.const 1 i32.add local.set tries "
             "local.get t local.get h local.get t_end f64.const 0 " +
             call("koppel_dop853_propose") +
             "local.set t1 local.set h local.set wanted f64.const 0.25 local.set shrink ");
    code.add(
        fmt::format("local.get t local.get h call {} local.tee reason i32.eqz if "
                    "local.get h call {} local.tee error f64.const 1 f64.le if "
                    "local.get t1 i32.const {} i32.const {} call {} local.tee reason "
                    "i32.eqz if ",
                    take_, error_, y1_, k_[kLast], arrive_));
    code.add(accept() + " br 4 end else " +
             fmt::format("i32.const {} local.set reason local.get error ",
                         static_cast<int>(KOPPEL_TOO_ROUGH)) +
             power_of_error() + call("koppel_dop853_shrink") + "local.set shrink end end ");
    // koppel_dop853_reject
    code.add(
        "i32.const 1 local.set was_rejected local.get t "
        "local.get h local.get shrink f64.mul local.tee next_h local.get t_end " +
        fmt::format("f64.const {} ", KOPPEL_DOP853_EPSILON) + call("koppel_dop853_again") +
        "local.tee h f64.const 0 f64.eq if ");
    code.add(copy(y1_, y0_) + copy(k_[kLast], k_[0]) + "br 2 end br 0 end end br 0 end end ");
    code.add(fmt::format("i32.const 0 local.get t f64.store {} i32.const 0 local.get next_h "
                         "f64.store {} ",
                         r_.t, r_.h) +
             copy(r_.y, y1_) + "local.get reason");
    return module_.add(std::move(code));
  }

  const WasmRates& r_;
  wasm::Module& module_;
  wasm::CFunctions control_;
  std::size_t bytes_;
  std::uint32_t y0_ = 0, y1_ = 0, stage_ = 0, k_[kLast + 1] = {};
  std::uint32_t finite_ = 0, rate_ = 0, arrive_ = 0, combine_ = 0, take_ = 0, norm_ = 0, error_ = 0;
};

}  // namespace

std::uint32_t add_accurate_advance(const WasmRates& rates, wasm::Module& module) {
  return AccurateWasmWriter(rates, module).write();
}

}  // namespace koppel
