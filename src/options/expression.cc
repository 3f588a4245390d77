// A recursive-descent evaluator. long double represents every 64-bit integer exactly, so products of sizes are exact to
// the byte.
#include "options/expression.h"

#include <cmath>
#include <string>

#include "base/text/parse.h"

namespace fathom::options {
namespace {

using Evaluated = base::Expected<long double>;
constexpr int kMaxDepth = 64;

base::Error cause(std::string text) {
  base::Error e;
  e.what = std::move(text);
  return e;
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const ReadNumber& read) : rest_(text), read_(read) {}

  Evaluated whole() {
    auto v = sum(0);
    if (!v) return v;
    skip();
    if (!rest_.empty()) return cause("`" + std::string(rest_) + "` is left over after the expression");
    return v;
  }

 private:
  void skip() { rest_ = base::text::trim(rest_); }
  char next() {
    skip();
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Evaluated sum(int depth) {
    auto v = product(depth);
    while (v && (next() == '+' || next() == '-')) {
      const bool plus = take('+') || !take('-');
      auto r = product(depth);
      if (!r) return r;
      v = plus ? *v + *r : *v - *r;
    }
    return v;
  }

  Evaluated product(int depth) {
    auto v = power(depth);
    while (v && (next() == '*' || next() == '/' || next() == '%')) {
      const char op = rest_.front();
      rest_.remove_prefix(1);
      auto r = power(depth);
      if (!r) return r;
      if (op != '*' && *r == 0) return cause("division by zero");
      v = op == '*' ? *v * *r : op == '/' ? *v / *r : std::fmod(*v, *r);
    }
    return v;
  }

  Evaluated power(int depth) {
    if (depth > kMaxDepth) return cause("nested too deeply");
    auto v = atom(depth);
    if (!v || !take('^')) return v;
    auto r = power(depth + 1);
    if (!r) return r;
    return std::pow(*v, *r);
  }

  Evaluated atom(int depth) {
    if (depth > kMaxDepth) return cause("nested too deeply");
    if (take('-')) {
      auto v = atom(depth + 1);
      if (!v) return v;
      return -*v;
    }
    if (take('(')) {
      auto v = sum(depth + 1);
      if (!v) return v;
      if (!take(')')) return cause("a `(` is not closed");
      return v;
    }
    skip();
    const std::size_t end = rest_.find_first_of("+-*/%^() \t");
    const std::string_view number = rest_.substr(0, end);
    if (number.empty())
      return cause(rest_.empty() ? "a number is missing at the end"
                                 : "a number is missing before `" + std::string(1, rest_.front()) + "`");
    rest_.remove_prefix(number.size());
    auto n = read_(number);
    if (!n) return cause("`" + std::string(number) + "` in the expression: " + n.error().what);
    return static_cast<long double>(*n);
  }

  std::string_view rest_;
  const ReadNumber& read_;
};

}  // namespace

base::Expected<std::uint64_t> evaluate(std::string_view text, const ReadNumber& read_number) {
  auto v = Evaluator(text, read_number).whole();
  if (!v) return v.error();
  if (std::isnan(*v)) return cause("the expression has no value");
  if (*v < 0) return cause("the expression is negative");
  if (*v >= 18446744073709551616.0L) return cause("too large: it does not fit in 64 bits");
  return static_cast<std::uint64_t>(*v);
}

}  // namespace fathom::options
