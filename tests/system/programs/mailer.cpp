// SPDX-License-Identifier: Apache-2.0
// usage: programs_mailer HOME: for each type that Python has, too: sends back what comes, changed so that it is seen that it was understood.
// tests/python/objects/messages/test_mailboxes_cpp.py is the other side.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "octavo/data/page.hpp"
#include "octavo/message.hpp"

namespace {

namespace ov = octavo;

using Bytes = std::vector<std::byte>;
using Row = std::tuple<std::int64_t, std::string, double>;
using Nest = std::tuple<Bytes, std::tuple<std::string, std::int64_t>, std::string>;
using Block = std::tuple<std::string, ov::ArrayPage>;

std::int64_t changed(std::int64_t value) { return value - 1; }
double changed(double value) { return value / 2; }
std::string changed(const std::string& value) { return value + "!"; }
Bytes changed(Bytes value) {
  std::reverse(value.begin(), value.end());
  return value;
}
ov::ArrayPage changed(ov::ArrayPage value) {
  if (value.type() == ov::dtype::float64)
    for (auto& each : value.values<double>()) each *= 2;
  return value;
}
template <class... T>
std::tuple<T...> changed(std::tuple<T...> value) {
  return std::apply([](auto&... each) { return std::tuple<T...>(changed(std::move(each))...); }, value);
}

// Until the box "end" has something.
template <class... T>
void serve(const ov::Mailbox<std::int64_t>& end, const std::tuple<ov::Mailbox<T>...>& asked, const std::tuple<ov::Mailbox<T>...>& answers) {
  for (;;) {
    const auto which = std::apply([&](const auto&... boxes) { return ov::select(boxes..., end); }, asked);
    if (which == sizeof...(T)) return;
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((which == I ? std::get<I>(answers).post(changed(std::get<I>(asked).retrieve())) : void()), ...); }
    (std::index_sequence_for<T...>());
  }
}

template <class... T>
void serve_all(const char* const (&names)[sizeof...(T)]) {
  const auto boxes = [&](const std::string& before) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple(ov::Mailbox<T>("ov://home/" + before + names[I])...); }
    (std::index_sequence_for<T...>());
  };
  serve(ov::Mailbox<std::int64_t>("ov://home/end"), boxes("to "), boxes("from "));
}

}  // namespace

int main(int argc, char** argv) {
  const ov::Runtime runtime(argc, argv, {.home = argc > 1 ? argv[1] : ""});
  try {
    const ov::Mailbox<std::vector<bool>> only_here("ov://home/only in C++");
    (void)only_here.try_retrieve();  // its type is known from now on
    serve_all<std::int64_t, double, std::string, Bytes, ov::ArrayPage, Row, Nest, Block, std::tuple<>>(
        {"int", "float", "str", "bytes", "array", "row", "nest", "block", "empty"});
  } catch (const ov::error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
