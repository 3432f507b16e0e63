#include "model/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {

/// Recursive descent; every rule appends its steps in postfix order.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const std::string> dimensions)
      : text_(text), dimensions_(dimensions) {}

  Expression parse() {
    constexpr std::size_t longest = 512;
    if (text_.size() > longest) {
      fail(fmt::format("expression is longer than {} bytes", longest));
    }
    sum();
    skip_space();
    if (at_ < text_.size()) {
      error(fmt::format("unexpected '{}'", printable(text_.substr(at_, 1))));
    }
    result_.text_ = std::string(text_);
    return std::move(result_);
  }

 private:
  using Op = Expression::Op;

  [[noreturn]] void error(const std::string& what) const {
    fail(fmt::format("expression '{}', column {}: {}", printable(text_), at_ + 1, what));
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }

  bool take(char c) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  void expect(char c) {
    if (!take(c)) {
      error(fmt::format("expected '{}'", c));
    }
  }

  void emit(Op op) { result_.steps_.push_back({op, {}, {}}); }

  void sum() {
    product();
    while (true) {
      if (take('+')) {
        product();
        emit(Op::add);
      } else if (take('-')) {
        product();
        emit(Op::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    while (true) {
      if (take('*')) {
        factor();
        emit(Op::multiply);
      } else if (take('/')) {
        factor();
        emit(Op::divide);
      } else {
        return;
      }
    }
  }

  void factor() {
    if (take('(')) {
      sum();
      expect(')');
      return;
    }
    skip_space();
    const std::size_t begin = at_;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) {
      error(at_ < text_.size() ? fmt::format("unexpected '{}'", printable(text_.substr(at_, 1)))
                               : "unexpected end");
    }
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      number(word, begin);
    } else if (take('(')) {
      call(word, begin);
    } else if (std::ranges::find(dimensions_, word) != dimensions_.end()) {
      result_.steps_.push_back({Op::dimension, {}, word});
    } else {
      at_ = begin;
      error(fmt::format("'{}' is not one of the dimensions {}{}", printable(word),
                        join(dimensions_), did_you_mean(word, dimensions_)));
    }
  }

  void number(const std::string& word, std::size_t begin) {
    const bool digits = std::ranges::all_of(
        word, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (!digits) {
      at_ = begin;
      error(fmt::format("'{}' is not a whole number", printable(word)));
    }
    result_.steps_.push_back({Op::number, Rational(mpz_class(word, 10)), {}});
  }

  void call(const std::string& name, std::size_t begin) {
    static const std::vector<std::pair<std::string, Op>> functions = {
        {"ceil_div", Op::ceil_div}, {"round_up", Op::round_up}, {"min", Op::min}, {"max", Op::max}};
    const auto found =
        std::ranges::find_if(functions, [&](const auto& entry) { return entry.first == name; });
    if (found == functions.end()) {
      std::vector<std::string> names;
      for (const auto& entry : functions) {
        names.push_back(entry.first);
      }
      at_ = begin;
      error(fmt::format("unknown function '{}'; there are {}", printable(name), join(names)));
    }
    sum();
    expect(',');
    sum();
    expect(')');
    emit(found->second);
  }

  std::string_view text_;
  std::span<const std::string> dimensions_;
  std::size_t at_ = 0;
  Expression result_;
};

Expression Expression::parse(std::string_view text, std::span<const std::string> dimensions) {
  return ExpressionParser(text, dimensions).parse();
}

Rational Expression::evaluate(const Shape& shape) const {
  std::vector<Rational> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::number) {
      stack.push_back(step.number);
      continue;
    }
    if (step.op == Op::dimension) {
      stack.emplace_back(shape.extent(step.dimension));
      continue;
    }
    const Rational right = stack.back();
    stack.pop_back();
    Rational& left = stack.back();
    const bool divides =
        step.op == Op::divide || step.op == Op::ceil_div || step.op == Op::round_up;
    if (divides && right == 0) {
      fail(fmt::format("expression '{}' divides by zero at shape {}", text_, shape.key()));
    }
    switch (step.op) {
      case Op::add:
        left += right;
        break;
      case Op::subtract:
        left -= right;
        break;
      case Op::multiply:
        left *= right;
        break;
      case Op::divide:
        left /= right;
        break;
      case Op::ceil_div:
        left = ceil(Rational(left / right));
        break;
      case Op::round_up:
        left = ceil(Rational(left / right)) * right;
        break;
      case Op::min:
        left = std::min(left, right);
        break;
      case Op::max:
        left = std::max(left, right);
        break;
      case Op::number:
      case Op::dimension:
        break;
    }
  }
  return stack.back();
}

}  // namespace perfmodel
