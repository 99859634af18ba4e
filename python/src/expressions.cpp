// Expressions with Python's operators.
#include "python/src/module.hpp"

#include <cctype>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/simplify.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>

namespace koppel::python {
namespace {

Expression apply_to(Op op, const Expression& a, const Expression& b = {},
                    const Expression& c = {}) {
  const auto& graph = a.graph ? a.graph : b.graph ? b.graph : c.graph;
  return {graph, apply(op, a.e, b.e, c.e)};
}

std::vector<Expr> handles(const std::vector<Expression>& expressions) {
  std::vector<Expr> out;
  for (const Expression& e : expressions) out.push_back(e.e);
  return out;
}

bool is_function(const Operation& operation) {
  return std::isalpha(static_cast<unsigned char>(operation.name[0])) != 0;
}

// sin, cos, … of the one table of operations; those of one operand are methods too, by which
// numpy.sin works on them.
void add_operations(py::module_& m, py::class_<Expression>& expression) {
  for (const Operation& operation : operations::kTable) {
    if (operation.value == nullptr || !is_function(operation)) continue;
    const Op op = operation.op;
    const std::string domain =
        operation.domain == nullptr ? "" : std::string("; defined for ") + operation.domain;
    const std::string doc = std::string("The expression ") + operation.name + domain + ".";
    if (operation.arity == 1) {
      m.def(
          operation.name, [op](const Expression& a) { return apply_to(op, a); }, py::arg("a"),
          doc.c_str());
      expression.def(operation.name, [op](const Expression& a) { return apply_to(op, a); });
    } else if (operation.arity == 2) {
      m.def(
          operation.name,
          [op](const Expression& a, const Expression& b) { return apply_to(op, a, b); },
          py::arg("a"), py::arg("b"), doc.c_str());
    } else {
      m.def(
          operation.name,
          [op](const Expression& a, const Expression& b, const Expression& c) {
            return apply_to(op, a, b, c);
          },
          py::arg("a"), py::arg("b"), py::arg("c"), doc.c_str());
    }
  }
}

void add_arithmetic(py::class_<Expression>& expression) {
  const auto binary = [&](const char* name, const char* reversed, Op op) {
    expression.def(
        name, [op](const Expression& a, const Expression& b) { return apply_to(op, a, b); },
        py::is_operator());
    expression.def(
        reversed, [op](const Expression& a, const Expression& b) { return apply_to(op, b, a); },
        py::is_operator());
  };
  binary("__add__", "__radd__", Op::Add);
  binary("__sub__", "__rsub__", Op::Sub);
  binary("__mul__", "__rmul__", Op::Mul);
  binary("__truediv__", "__rtruediv__", Op::Div);
  binary("__pow__", "__rpow__", Op::Pow);
  binary("__lt__", "__gt__", Op::Less);
  binary("__le__", "__ge__", Op::LessEqual);
  expression.def("__neg__", [](const Expression& a) { return apply_to(Op::Neg, a); });
  expression.def("__pos__", [](const Expression& a) { return a; });
  expression.def("__abs__", [](const Expression& a) { return apply_to(Op::Abs, a); });
  expression.def(
      "__eq__", [](const Expression& a, const Expression& b) { return a.e == b.e; },
      py::is_operator());
  expression.def("__hash__", [](const Expression& a) {
    return a.e.graph() == nullptr ? std::hash<double>{}(a.e.value())
                                  : std::hash<std::size_t>{}(a.e.id());
  });
}

// The symbol with a quote behind its name.
Expression rate_of(const Expression& e) {
  if (!e.e.is_symbol()) {
    throw Error("expr.no-rate",
                "'" + to_text(e.e, 200) + "' is no name, and only names have rates.",
                "Write the rate of an expression with the rates of its names.");
  }
  return {e.graph, e.graph->symbol(std::string(e.e.name()) + "'")};
}

void add_inspection(py::class_<Expression>& expression) {
  expression.def("__str__", [](const Expression& a) { return to_text(a.e); });
  expression.def("__repr__", [](const Expression& a) {
    return a.e.is_constant() ? to_text(a.e) : "Expr(" + to_text(a.e, 2000) + ")";
  });
  expression.def("_repr_latex_", [](const Expression& a) { return "$" + to_latex(a.e) + "$"; });
  expression.def_property_readonly("rate", &rate_of,
                                   "The rate of a name: `knee.angle.rate` is `knee.angle'`.");
  expression.def_property_readonly(
      "name",
      [](const Expression& a) -> py::object {
        if (!a.e.is_symbol()) return py::none();
        return py::str(std::string(a.e.name()));
      },
      "The name of a symbol; None for other expressions.");
  expression.def_property_readonly(
      "is_constant", [](const Expression& a) { return a.e.is_constant(); },
      "Whether it is a number.");
  expression.def("__float__", [](const Expression& a) {
    if (!a.e.is_constant()) {
      throw py::type_error("'" + to_text(a.e, 200) +
                           "' is an expression, not a number; "
                           "koppel.compile makes a function of it");
    }
    return a.e.value();
  });
  expression.def("__bool__", [](const Expression& a) {
    if (!a.e.is_constant()) {
      throw py::type_error("whether '" + to_text(a.e, 200) +
                           "' holds is not known before it is "
                           "evaluated; koppel.select(condition, a, b) chooses in an expression");
    }
    return a.e.value() != 0;
  });
}

void add_graph(py::module_& m) {
  py::class_<Graph, std::shared_ptr<Graph>>(m, "Graph", "Holds expressions; grows only.")
      .def(py::init([] { return std::make_shared<Graph>(); }))
      .def(
          "symbol",
          [](const std::shared_ptr<Graph>& graph, const std::string& name) {
            return Expression{graph, graph->symbol(name)};
          },
          py::arg("name"))
      .def(
          "parse",
          [](const std::shared_ptr<Graph>& graph, const std::string& text) {
            return Expression{graph, parse(*graph, text, {.names = {}, .make_symbols = true})};
          },
          py::arg("text"))
      .def("add_table",
           [](Graph& graph, const std::string& name, const std::vector<double>& x,
              const std::vector<double>& y, const std::string& type) {
             graph.add_table(name, type == "held"     ? TableData::held(x, y)
                                   : type == "linear" ? TableData::linear(x, y)
                                                      : TableData::spline(x, y));
           })
      .def("call_table", [](const std::shared_ptr<Graph>& graph, const std::string& name,
                            const Expression& x, int order) {
        return Expression{graph, graph->find_table(name)->derivative(x.e, order)};
      });
}

}  // namespace

void add_expressions(py::module_& m) {
  py::class_<Expression> expression(
      m, "Expr",
      "An expression of names, written with Python's operators.\n\n"
      "`==` asks whether two expressions are the same one; `<` and `<=` are conditions for\n"
      "`koppel.select`.");
  add_graph(m);
  expression.def(py::init([](double value) {
                   return Expression{{}, Expr(value)};
                 }),
                 py::arg("value"));
  py::implicitly_convertible<double, Expression>();
  py::implicitly_convertible<py::int_, Expression>();
  add_arithmetic(expression);
  add_inspection(expression);
  add_operations(m, expression);
  m.def(
      "equal", [](const Expression& a, const Expression& b) { return apply_to(Op::Equal, a, b); },
      py::arg("a"), py::arg("b"), "The condition that both have the same value.");
  m.def(
      "diff",
      [](const Expression& f, const Expression& x) {
        return Expression{f.graph ? f.graph : x.graph, diff(f.e, x.e)};
      },
      py::arg("f"), py::arg("x"), "The derivative of f by a name.");
  m.def(
      "gradient",
      [](const Expression& f, const std::vector<Expression>& x) {
        std::vector<Expression> out;
        for (const Expr& e : gradient(f.e, handles(x))) out.push_back({f.graph, e});
        return out;
      },
      py::arg("f"), py::arg("x"), "The derivatives of f by names, by reverse accumulation.");
  m.def(
      "simplify",
      [](const Expression& f) {
        return Expression{f.graph, simplify(std::vector<Expr>{f.e}).front()};
      },
      py::arg("f"), "The same with fewer operations, where some are found.");
}

}  // namespace koppel::python
