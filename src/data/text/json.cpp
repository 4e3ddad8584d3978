// SPDX-License-Identifier: Apache-2.0
#include "data/text/json.hpp"

#include <array>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::array<std::string_view, 3> bare{"-Infinity", "Infinity", "NaN"};

std::string_view bare_at(std::string_view text) {
  for (auto word : bare)
    if (text.starts_with(word)) return word;
  return {};
}

bool is_key(std::string_view after) {
  std::size_t next = after.find_first_not_of(" \t\r\n");
  return next != std::string_view::npos && after[next] == ':';
}

// Each bare NaN becomes the string "\u0001NaN".
std::string marked(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    auto word = in_string ? std::string_view() : bare_at(text.substr(i));
    if (!word.empty() && !is_key(text.substr(i + word.size()))) {
      result.append("\"\\u0001").append(word).append("\"");
      i += word.size();
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\' && i + 1 < text.size()) result += text[i++];
    result += text[i++];
  }
  return result;
}

// Called for each value and key while parsing. The parser finds an object's field by looking at those before it: their product is bounded.
class Bounds {
 public:
  Bounds(const std::string& file, int deepest) : file_(file), deepest_(deepest), fields_(static_cast<std::size_t>(deepest) + 2) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > deepest_)
      throw not_supported("'" + file_ + "' is nested more than " + std::to_string(deepest_) + " levels deep", "Check that it is the metadata of an array");
    auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) fields_[level + 1] = 0;
    if (event != Json::parse_event_t::key) return true;
    if (depth == 1) skipping_ = value == "consolidated_metadata";
    if (skipping_) return depth > 1;
    work_ += fields_[level]++;
    if (work_ > most_work)
      throw not_supported("'" + file_ + "' has an object of more than " + std::to_string(fields_[level]) + " fields", "Keep fewer attributes with the array");
    return true;
  }

 private:
  static constexpr std::int64_t most_work = std::int64_t{1} << 28;  // about 23,000 fields in one object, a second
  const std::string& file_;
  int deepest_;
  std::vector<std::int64_t> fields_;  // of the object open at each depth
  std::int64_t work_ = 0;
  bool skipping_ = false;
};

// The JSON library quotes what it read, whatever that is.
std::string printable(std::string text) {
  if (text.size() > 240) text.resize(240);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file, int deepest) {
  if (static_cast<std::int64_t>(text.size()) > largest_json)
    throw not_supported("'" + file + "' has " + format_bytes(static_cast<std::int64_t>(text.size())) + "; at most 16 MiB are read",
                        "Check that it is the metadata of an array");
  try {
    Bounds bounds(file, deepest);
    return Json::parse(marked(text), [&](int depth, Json::parse_event_t event, Json& value) { return bounds(depth, event, value); });
  } catch (const Json::exception& e) {
    std::string why = e.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    auto start = why.find("] ");
    throw usage_error("'" + file + "' is not JSON: " + printable(start == std::string::npos ? why : why.substr(start + 2)), "Write the array's metadata again");
  }
}

std::string json_text(const Json& json, int indent) {
  static constexpr std::string_view mark = "\"\\u0001";
  std::string text = json.dump(indent), result;
  std::size_t from = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    auto word = bare_at(std::string_view(text).substr(at + mark.size()));
    std::size_t end = at + mark.size() + word.size();
    if (word.empty() || end >= text.size() || text[end] != '"' || (end + 1 < text.size() && text[end + 1] == ':')) continue;
    result.append(text, from, at - from).append(word);
    from = end + 1;
  }
  return result.append(text, from);
}

std::string cut(std::string text) {
  if (text.size() <= 80) return text;
  std::size_t size = 80;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  text.resize(size);
  return text;
}

std::string shown(const Json& value) { return cut(json_text(value)); }

}  // namespace octavo
