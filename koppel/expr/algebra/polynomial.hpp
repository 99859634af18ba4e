// A sum as a list of monomials, each different from the others.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <koppel/expr/algebra/monomial.hpp>

namespace koppel::algebra {

class Polynomial {
 public:
  Polynomial(Reach reach, const Usage& usage, Graph& graph)
      : reach_(reach), usage_(&usage), graph_(&graph) {}

  // Adds the terms of e; false when there are more than max_terms.
  bool read(Expr e, std::size_t max_terms = SIZE_MAX);

  // Applies sin² + cos² = 1 and cosh² − sinh² = 1 where that leaves fewer or simpler terms.
  void apply_pythagoras();

  // With products of small sums multiplied out, those whose terms then meet others.
  std::optional<Polynomial> expanded() const;

  // The sum as an expression, with common factors pulled out; nothing if that changes nothing, or
  // if a number has left the range of double.
  std::optional<Expr> make_expr() const;

  // Whether a term or a part of one has other users too.
  bool has_shared() const { return has_shared_; }

 private:
  struct Term {
    Monomial monomial;
    Expr source;       // an expression of the same factors…
    double inner = 0;  // … and of this coefficient; 0: none is known
  };
  // A value that is number · e.
  struct Weighted {
    double number;
    Expr e;
  };

  void add(Term term);
  bool is_shared_product(const Term& term) const;
  const Term* find(const Monomial& factors) const;
  double coefficient_of(const Monomial& factors) const;
  std::size_t set_coefficient(const Monomial& factors, double coefficient);
  bool reduce(const Monomial& term, std::size_t factor, std::vector<std::size_t>& touched);
  std::optional<std::vector<Monomial>> multiplied_out(const Monomial& m) const;

  Weighted weighted(const Term& term) const;
  Expr sum_of(const std::vector<Weighted>& terms) const;
  std::vector<Weighted> factored(const std::vector<Term>& terms, int depth, bool& changed) const;
  Expr pulled_out(const Monomial& common, const std::vector<Term>& terms,
                  const std::vector<std::size_t>& group, int depth) const;

  Reach reach_;
  const Usage* usage_;
  Graph* graph_;
  std::vector<Term> terms_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // hash → the first term that has it
  bool changed_ = false;
  bool has_shared_ = false;
};

}  // namespace koppel::algebra
