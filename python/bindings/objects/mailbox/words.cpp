// SPDX-License-Identifier: Apache-2.0
#include "objects/mailbox/words.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>

#include "octavo/base/error.hpp"
#include "octavo/data/page.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::bindings {

namespace {

constexpr std::string_view tuple_begins = "std::tuple<", of_python = "Python values";

struct Name {
  message_kind kind;
  std::string_view alone, within;  // the compiler's names of it; within a tuple all arguments of its template are in it
  std::string_view in_python, in_cpp;
};

// "std::tuple<X>" -> "X".
constexpr std::string_view only_item(std::string_view tuple) {
  tuple = tuple.substr(tuple_begins.size());
  tuple.remove_suffix(1);
  if (tuple.ends_with(' ')) tuple.remove_suffix(1);
  return tuple;
}

template <class T>
constexpr Name name(message_kind kind, std::string_view in_python, std::string_view in_cpp) {
  return {kind, detail::type_name<T>(), only_item(detail::type_name<std::tuple<T>>()), in_python, in_cpp};
}

constexpr std::array names{
    name<std::int64_t>(message_kind::integer, "int", "std::int64_t"),
    name<double>(message_kind::real, "float", "double"),
    name<std::string>(message_kind::text, "str", "std::string"),
    name<std::vector<std::byte>>(message_kind::bytes, "bytes", "std::vector<std::byte>"),
    name<ArrayPage>(message_kind::array, "numpy.ndarray", "octavo::ArrayPage"),
};

const Name& name_of(message_kind kind) {
  for (const auto& each : names)
    if (each.kind == kind) return each;
  throw usage_error("a type of messages that is not known here", "Use the same version of Octavo everywhere");
}

MessageType take_type(std::string_view& code) {
  if (code.empty()) throw usage_error("a type of messages that ends too early", "Use the same version of Octavo everywhere");
  const char first = code.front();
  code.remove_prefix(1);
  MessageType type{static_cast<message_kind>(first), {}};
  if (type.kind == message_kind::tuple) {
    while (!code.starts_with(')')) type.items.push_back(take_type(code));
    code.remove_prefix(1);
  } else if (type.kind != message_kind::of_python) {
    name_of(type.kind);
  }
  return type;
}

std::string cpp_name_within(const MessageType& type) {
  if (type.kind != message_kind::tuple) return std::string(name_of(type.kind).within);
  // Of one that ends with > itself, a space stands before the next, with some compilers.
  constexpr bool parted = detail::type_name<std::tuple<std::tuple<>>>().ends_with(" >");
  std::string text(tuple_begins);
  for (const auto& item : type.items) text += (&item == type.items.data() ? "" : ", ") + cpp_name_within(item);
  if (parted && text.ends_with('>')) text += ' ';
  return text + ">";
}

// The name in Python of the C++ type that `left` begins with, which is taken off. Nothing: Python knows none.
std::optional<std::string> take_words(std::string_view& left) {
  const auto take = [&left](std::string_view text) {
    if (!left.starts_with(text)) return false;
    left.remove_prefix(text.size());
    return true;
  };
  if (take(tuple_begins)) {
    std::string words = "tuple[";
    while (!take(">")) {
      if (words.back() != '[') words += ", ";
      const auto item = take_words(left);
      if (!item) return std::nullopt;
      words += *item;
      if (!take(", ")) take(" ");
    }
    return words + (words.back() == '[' ? "()]" : "]");
  }
  for (const auto& each : names)
    for (const auto text : {each.within, each.alone}) {
      const auto rest = left.substr(std::min(text.size(), left.size()));
      if (left.starts_with(text) && (rest.empty() || rest.front() == ',' || rest.front() == '>' || rest.front() == ' '))
        return take(text), std::string(each.in_python);
    }
  return std::nullopt;
}

std::string words_for(std::string_view cpp) {
  if (cpp == of_python) return std::string(cpp);
  auto left = cpp;
  const auto words = take_words(left);
  if (!words || !left.empty()) return std::string(cpp) + " of C++";
  for (const auto& each : names)
    if (each.alone == cpp) return *words + " (" + std::string(each.in_cpp) + " of C++)";
  return *words;
}

}  // namespace

MessageType message_type_of(std::string_view code) {
  auto type = take_type(code);
  if (!code.empty()) throw usage_error("a type of messages with more behind it", "Use the same version of Octavo everywhere");
  return type;
}

std::string cpp_name_of(const MessageType& type) {
  if (type.kind == message_kind::of_python) return std::string(of_python);
  return type.kind == message_kind::tuple ? cpp_name_within(type) : std::string(name_of(type.kind).alone);
}

std::string python_name_of(const MessageType& type) {
  if (type.kind == message_kind::of_python) return std::string(of_python);
  if (type.kind != message_kind::tuple) return std::string(name_of(type.kind).in_python);
  std::string text = "tuple[";
  for (const auto& item : type.items) text += (&item == type.items.data() ? "" : ", ") + python_name_of(item);
  return text + (type.items.empty() ? "()]" : "]");
}

std::string in_python_words(const std::string& message) {
  constexpr std::string_view first = "holds messages of type ", second = ", not of type ";
  const auto from = message.find(first), middle = message.find(second);
  if (from == std::string::npos || middle == std::string::npos || middle < from) return message;
  const auto begin = from + first.size();
  const std::string_view all = message;
  return message.substr(0, begin) + words_for(all.substr(begin, middle - begin)) + std::string(second) + words_for(all.substr(middle + second.size()));
}

}  // namespace octavo::bindings
