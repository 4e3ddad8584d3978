// SPDX-License-Identifier: Apache-2.0
#include "data/text/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "machine/utf8.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr char bare_mark = '\x01';
constexpr std::string_view written_mark = "\\u0001";  // as JSON has it
constexpr std::size_t longest_integer = 4300;         // digits that Python reads
constexpr std::array<std::string_view, 3> bare_words{"-Infinity", "Infinity", "NaN"};

std::string_view word_at(std::string_view text) {
  for (auto word : bare_words)
    if (text.starts_with(word)) return word;
  return {};
}

bool is_key(std::string_view after) {
  std::size_t next = after.find_first_not_of(" \t\r\n");
  return next != std::string_view::npos && after[next] == ':';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view number_at(std::string_view text) {
  if (text.empty() || (!is_digit(text[0]) && text[0] != '-')) return {};
  return text.substr(0, std::min(text.size(), text.find_first_not_of("0123456789+-.eE")));
}

// An integer of more than 64 bits, which the JSON library would round. What is no JSON at all is left to its parser.
bool is_long_integer(std::string_view number) {
  auto digits = number.substr(number.starts_with('-') ? 1 : 0);
  if (digits.size() < 19 || digits[0] == '0' || digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  auto end = number.data() + number.size();
  return std::from_chars(number.data(), end, negative).ec != std::errc() && std::from_chars(number.data(), end, positive).ec != std::errc();
}

// Replaces what the JSON library cannot hold by marked strings.
class Marking {
 public:
  Marking(std::string_view text, const std::string& file) : text_(text), file_(file) { result_.reserve(text.size()); }

  std::string all() {
    while (at_ < text_.size()) in_string_ ? in_string() : outside();
    return std::move(result_);
  }

 private:
  void take(std::size_t count) {
    result_.append(text_.substr(at_, count));
    at_ += count;
  }

  void outside() {
    auto rest = text_.substr(at_);
    auto word = word_at(rest);
    auto number = word.empty() ? number_at(rest) : word;
    bool strange = !word.empty() || is_long_integer(number);
    if (!strange || is_key(rest.substr(number.size()))) {
      in_string_ = rest[0] == '"';
      take(std::max<std::size_t>(1, number.size()));
      return;
    }
    if (number.size() > longest_integer)
      throw not_supported("'" + file_ + "' has an integer of " + std::to_string(number.size()) + " digits", "Write it as text");
    result_.append("\"").append(written_mark).append("#").append(number).append("\"");
    at_ += number.size();
  }

  void in_string() {
    if (text_[at_] != '\\') {
      if (text_[at_] == '"') in_string_ = false;
      take(1);
      return;
    }
    auto code = escaped(at_);
    if (!code) {
      take(std::min<std::size_t>(2, text_.size() - at_));
    } else if (*code == 1) {
      result_.append(written_mark).append("=");
      at_ += 6;
    } else if (*code >= 0xd800 && *code < 0xdc00 && is_low(escaped(at_ + 6))) {
      take(12);
    } else if (*code >= 0xd800 && *code < 0xe000) {
      result_.append(written_mark).append(text_.substr(at_ + 2, 4));
      at_ += 6;
    } else {
      take(6);
    }
  }

  static bool is_low(std::optional<unsigned> code) { return code && *code >= 0xdc00 && *code < 0xe000; }

  // Of "\u00e9" at that place.
  [[nodiscard]] std::optional<unsigned> escaped(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    unsigned code = 0;
    auto end = text_.data() + at + 6;
    auto [stop, status] = std::from_chars(text_.data() + at + 2, end, code, 16);
    return status == std::errc() && stop == end ? std::optional(code) : std::nullopt;
  }

  std::string_view text_;
  const std::string& file_;
  std::string result_;
  std::size_t at_ = 0;
  bool in_string_ = false;
};

// Makes the value, within bounds. An object's field is found by looking at those before it: their product is bounded, and the library's own builder, which
// with a callback also looks at all elements of a list for each object in it, is done without.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& file, int deepest) : file_(file), deepest_(deepest) {}

  Json result;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no text has any
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    check_depth();
    if (skipped_ != 0) return true;
    if (depth_ == 1 && name == "consolidated_metadata") {
      skipping_ = true;
      return true;
    }
    work_ += fields_.back()++;
    if (work_ > most_work)
      throw not_supported("'" + file_ + "' has an object of more than " + std::to_string(fields_.back()) + " fields", "Keep fewer attributes with the array");
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& failure) override { throw failure; }

 private:
  void check_depth() const {
    if (depth_ > deepest_)
      throw not_supported("'" + file_ + "' is nested more than " + std::to_string(deepest_) + " levels deep", "Check that it is the metadata of an array");
  }

  Json* place() {
    if (open_.empty()) return &result;
    Json& in = *open_.back();
    return in.is_array() ? &in.emplace_back() : &in[key_];
  }

  bool put(Json value) {
    check_depth();
    if (skipped_ == 0 && !skipping_) *place() = std::move(value);
    if (skipped_ == 0) skipping_ = false;
    return true;
  }

  bool open(Json value) {
    check_depth();
    ++depth_;
    if (skipped_ != 0 || skipping_) {
      ++skipped_;
      return true;
    }
    Json* at = place();
    *at = std::move(value);
    open_.push_back(at);  // it stays where it is: what it lies in gets no more elements before it is closed
    fields_.push_back(0);
    return true;
  }

  bool close() {
    --depth_;
    if (skipped_ != 0) {
      if (--skipped_ == 0) skipping_ = false;
      return true;
    }
    open_.pop_back();
    fields_.pop_back();
    return true;
  }

  static constexpr std::int64_t most_work = std::int64_t{1} << 28;  // about 23,000 fields in one object, a second
  const std::string& file_;
  int deepest_;
  int depth_ = 0;    // of what is open
  int skipped_ = 0;  // of that, within the field that is left out
  bool skipping_ = false;
  std::vector<Json*> open_;
  std::vector<std::int64_t> fields_;
  std::string key_;
  std::int64_t work_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& file, int deepest) {
  if (static_cast<std::int64_t>(text.size()) > largest_json)
    throw not_supported("'" + file + "' has " + format_bytes(static_cast<std::int64_t>(text.size())) + "; at most 16 MiB are read",
                        "Check that it is the metadata of an array");
  try {
    Builder builder(file, deepest);
    Json::sax_parse(Marking(text, file).all(), &builder);
    return std::move(builder.result);
  } catch (const Json::exception& e) {
    std::string why = e.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    auto start = why.find("] ");
    throw usage_error("'" + file + "' is not JSON: " + visible(start == std::string::npos ? why : why.substr(start + 2), 240),
                      "Write the array's metadata again");
  }
}

std::string json_text(const Json& json, int indent) {
  std::string text = json.dump(indent), result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result += text[i++];
      continue;
    }
    if (text.compare(i, written_mark.size(), written_mark) != 0) {
      result.append(text, i, 2);
      i += 2;
      continue;
    }
    std::size_t after = i + written_mark.size();
    if (text[after] == '#') {
      result.pop_back();  // the string's begin
      std::size_t end = text.find('"', after);
      result.append(text, after + 1, end - after - 1);
      i = end + 1;
    } else if (text[after] == '=') {
      result.append(written_mark);
      i = after + 1;
    } else {
      result.append("\\u").append(text, after, 4);
      i = after + 4;
    }
  }
  return result;
}

Json bare_number(std::string_view word) { return std::string{bare_mark, '#'} + std::string(word); }

std::optional<std::string> bare_word(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  return text.starts_with(std::string_view("\x01#")) ? std::optional(text.substr(2)) : std::nullopt;
}

std::string cut(const std::string& text) { return visible(text, 80); }

std::string shown(const Json& value) { return cut(json_text(value)); }

}  // namespace octavo
