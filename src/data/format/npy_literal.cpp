// SPDX-License-Identifier: Apache-2.0
#include "data/format/npy_literal.hpp"

#include <charconv>

#include "data/text/json.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyLiteral dictionary() {
    NpyLiteral result;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[' || peek() == '(')
          throw not_supported("'" + file_ + "' has structured elements", "Save one field of it: numpy.save(path, a['field'])");
        result.descr = string();
        descr = true;
      } else if (key == "fortran_order") {
        result.fortran_order = boolean();
        order = true;
      } else if (key == "shape") {
        result.shape = tuple();
        shape = true;
      } else {
        throw bad("an unknown key '" + cut(key) + "'");
      }
      if (!accept(',') && peek() != '}') throw bad("',' or '}' is missing");
    }
    if (peek() != '\0') throw bad("something follows the dictionary");
    if (!descr || !order || !shape) throw bad(std::string("the key '") + (!descr ? "descr" : !order ? "fortran_order" : "shape") + "' is missing");
    return result;
  }

 private:
  [[nodiscard]] usage_error bad(const std::string& what) const {
    return usage_error("'" + file_ + "': the .npy header is not valid: " + what + " at its byte " + std::to_string(at_),
                       "Save the array again with numpy.save");
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw bad(std::string("'") + c + "' is missing");
  }

  std::string string() {
    char quote = peek();
    if (quote != '\'' && quote != '"') throw bad("a string is missing");
    auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) throw bad("a string does not end");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    peek();
    for (auto [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    throw bad("True or False is missing");
  }

  Shape tuple() {
    Shape result;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (status != std::errc()) throw bad("an extent is missing or has more than 63 bits");
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');  // Python 2
      if (result.size() == max_dims)
        throw not_supported("'" + file_ + "' has more than " + std::to_string(max_dims) + " dimensions", "Merge dimensions: a.reshape(...)");
      result.push_back(value);
      if (!accept(',') && peek() != ')') throw bad("',' or ')' is missing");
    }
    return result;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpyLiteral parse_npy_literal(std::string_view text, const std::string& file) { return Parser(text, file).dictionary(); }

}  // namespace octavo
