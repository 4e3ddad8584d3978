// SPDX-License-Identifier: Apache-2.0
// The types of messages that Python and C++ share: what each is called in the one and in the other.
//
//   const MessageType type = message_type_of("(is)");
//   cpp_name_of(type);       // "std::tuple<long int, std::__cxx11::basic_string<char, ...> >", as detail::type_name<T>() has it
//   python_name_of(type);    // "tuple[int, str]"
//   in_python_words("mailbox 'jobs' holds messages of type double, not of type long int");
//
// Threading: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::bindings {

// of_python: values of any kind, as arguments of calls are encoded, which C++ cannot read.
enum class message_kind : char { of_python = '*', integer = 'i', real = 'f', text = 's', bytes = 'b', array = 'a', tuple = '(' };

struct MessageType {
  message_kind kind = message_kind::of_python;
  std::vector<MessageType> items;  // of a tuple
};

// `code`: the letter of its kind; of a tuple those of its items in parentheses.
MessageType message_type_of(std::string_view code);
std::string cpp_name_of(const MessageType& type);
std::string python_name_of(const MessageType& type);
// The types in the message of an error that says that two differ.
std::string in_python_words(const std::string& message);

}  // namespace octavo::bindings
