// SPDX-License-Identifier: Apache-2.0
// What a C++ class may have for methods: p->f(...) and start(p)->f(...) mean what object.f(...) would (detail/as_called.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/process/every_place.hpp"

namespace overload_tests {

namespace ov = octavo;

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

// Cannot be copied, and has a private field.
class Ticket {
 public:
  Ticket() = default;
  explicit Ticket(int number) : number_(number) {}
  Ticket(Ticket&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Ticket& operator=(Ticket&& other) noexcept {
    number_ = std::exchange(other.number_, 0);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number_);
  }

 private:
  int number_ = 0;
};

class Shelf {
 public:
  // overloads, by type, by number, by const of the object
  std::string put(int) { return "int"; }
  std::string put(double) { return "double"; }
  std::string put(const std::string& text) { return "string " + text; }
  std::string put(Point, int) { return "point, int"; }
  std::string at(int) { return "at"; }
  std::string at(int) const { return "at const"; }
  // what the caller passes: a temporary or a variable
  std::string take(const std::vector<int>& kept) { return "const& " + std::to_string(kept.size()); }
  std::string take(std::vector<int>&& given) { return "&& " + std::to_string(given.size()); }
  // defaults
  int defaults(int a, int b = 10, const std::string& c = "abc") const { return a + b + static_cast<int>(c.size()); }
  static int fixed(int n) { return n + 1; }
  // templates
  template <class T>
  T twice(const T& value) {
    return value + value;
  }
  template <class T>
  [[nodiscard]] std::string convert(double value) const {
    return std::to_string(static_cast<T>(value));
  }
  // T&, one method and overloaded
  void swap_points(Point& a, Point& b) { std::swap(a, b); }
  int fill(std::vector<int>& to, int with) { return std::fill(to.begin(), to.end(), with), with; }
  int fill(std::string& to, char with) { return std::fill(to.begin(), to.end(), with), with; }
  void add_to(int& total, const int& n = 5) { total += n; }
  ov::future<int> later(int& total) {
    total += 7;
    co_return total;
  }
  // qualifiers
  int ref() & { return 1; }
  [[nodiscard]] int cref() const& noexcept { return 2; }
  int quick(int n) noexcept { return n; }
  const std::string& name() const& { return name_; }
  // what can only be moved
  int keep(Ticket ticket) { return (ticket_ = std::move(ticket)).number(); }
  int keep_moved(Ticket&& ticket) { return (ticket_ = std::move(ticket)).number(); }
  [[nodiscard]] int look(const Ticket& ticket) const { return ticket.number(); }
  Ticket give() { return std::move(ticket_); }
  int own(std::unique_ptr<Point> point) { return point ? static_cast<int>(point->x) : -1; }
  int own(std::unique_ptr<Point>&& point, int plus) { return static_cast<int>(point->x) + plus; }
  [[nodiscard]] std::unique_ptr<Point> make(bool some) const { return some ? std::make_unique<Point>(Point{3, 4}) : nullptr; }
  // views
  [[nodiscard]] std::size_t length(std::string_view text) const { return text.size(); }
  [[nodiscard]] double total(std::span<const double> data, double from = 0) const { return std::accumulate(data.begin(), data.end(), from); }

 private:
  std::string name_ = "shelf";
  Ticket ticket_;
};
OCTAVO_REMOTE(Shelf, put, at, take, defaults, fixed, twice, convert, swap_points, fill, add_to, later, ref, cref, quick, name, keep, keep_moved, look, give,
              own, make, length, total)

// A class that nothing derives from.
class Last final {
 public:
  int f(int n) { return n; }
  int f(int n, int m) { return n * m; }
};
OCTAVO_REMOTE(Last, f)

class FromViews {
 public:
  FromViews(std::string_view name, std::span<const int> data) : text_(std::string(name) + std::to_string(data.size())) {}
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::string text_;
};
OCTAVO_REMOTE(FromViews, text)

namespace {

class Overloads : public process_tests::EveryPlace {
 protected:
  ov::remote_ptr<Shelf> p = here.make<Shelf>();
};
INSTANTIATE_TEST_SUITE_P(, Overloads, process_tests::every_place, process_tests::name_of_place);

TEST_P(Overloads, AreChosenByTheArguments) {
  EXPECT_EQ(p->put(1), "int");
  EXPECT_EQ(p->put(1.5), "double");
  EXPECT_EQ(p->put(2.5F), "double");
  EXPECT_EQ(p->put("literal"), "string literal");
  std::string variable = "variable";
  EXPECT_EQ(p->put(variable), "string variable");
  EXPECT_EQ(p->put(std::string("temporary")), "string temporary");
  EXPECT_EQ(p->put(Point{1, 2}, 3), "point, int");
  EXPECT_EQ(ov::start(p)->put(2).get(), "int");
  EXPECT_EQ(p->at(1), "at") << "the object is not const";
}

TEST_P(Overloads, AreChosenByWhatTheArgumentIs) {
  std::vector<int> data{1, 2, 3};
  const std::vector<int> fixed{1};
  EXPECT_EQ(p->take(data), "const& 3");
  EXPECT_EQ(p->take(fixed), "const& 1");
  EXPECT_EQ(p->take(std::vector<int>{1, 2}), "&& 2");
  EXPECT_EQ(p->take(std::move(data)), "&& 3");
}

TEST_P(Overloads, ACastChoosesOneByAddress) {
  EXPECT_EQ((ov::call<static_cast<std::string (Shelf::*)(double)>(&Shelf::put)>(p, 1)), "double");
  EXPECT_EQ((ov::call<static_cast<std::string (Shelf::*)(int) const>(&Shelf::at)>(p, 1)), "at const");
  EXPECT_EQ((ov::call<static_cast<std::string (Shelf::*)(int)>(&Shelf::at)>(p, 1)), "at");
  EXPECT_EQ((ov::start<static_cast<std::string (Shelf::*)(std::vector<int> &&)>(&Shelf::take)>(p, std::vector<int>(4)).get()), "&& 4");
  EXPECT_EQ((ov::call<static_cast<std::string (Shelf::*)(const std::vector<int>&)>(&Shelf::take)>(p, std::vector<int>(5))), "const& 5");
}

TEST_P(Overloads, DefaultsMayBeLeftOut) {
  EXPECT_EQ(p->defaults(1), 14);
  EXPECT_EQ(p->defaults(1, 2), 6);
  EXPECT_EQ(p->defaults(1, 2, "a"), 4);
  EXPECT_EQ(ov::start(p)->defaults(1).get(), 14);
  EXPECT_EQ(p->fixed(1), 2) << "a static method";
}

TEST_P(Overloads, TemplatesByArgumentAndByNamedType) {
  EXPECT_EQ(p->twice(4), 8);
  EXPECT_EQ(p->twice(std::string("ab")), "abab");
  EXPECT_EQ(p->twice<double>(1), 2.0);
  EXPECT_EQ(p->convert<int>(2.75), "2");
  EXPECT_EQ(ov::start(p)->convert<float>(2.75).get(), std::to_string(2.75F));
  EXPECT_EQ((ov::call<&Shelf::convert<int>>(p, 2.75)), "2");
  EXPECT_EQ((ov::call<&Shelf::convert<long double>>(p, 2.75)), std::to_string(2.75L));
}

TEST_P(Overloads, AReferenceComesBackWhereTheMethodTakesOne) {
  Point a{1, 2}, b{3, 4};
  p->swap_points(a, b);
  EXPECT_EQ(a, (Point{3, 4}));
  EXPECT_EQ(b, (Point{1, 2}));
  std::vector<int> list(3);
  int nine = 9;
  EXPECT_EQ(p->fill(list, nine), 9) << "overloaded: one argument comes back, the other need not";
  EXPECT_EQ(list, (std::vector<int>{9, 9, 9}));
  std::string text = "abc";
  p->fill(text, 'z');
  EXPECT_EQ(text, "zzz");
  int total = 1;
  p->add_to(total);
  EXPECT_EQ(total, 6) << "with a default left out";
  EXPECT_EQ(p->later(total), 13);
  EXPECT_EQ(total, 13) << "from a method that gives a future";
}

TEST_P(Overloads, QualifiedMethods) {
  EXPECT_EQ(p->ref() + p->cref() + p->quick(3), 6);
  EXPECT_EQ(p->name(), "shelf") << "a reference arrives as a value";
}

TEST_P(Overloads, WhatCanOnlyBeMovedMoves) {
  Ticket ticket(7);
  EXPECT_EQ(p->look(ticket), 7);
  EXPECT_EQ(p->keep(std::move(ticket)), 7);
  EXPECT_EQ(ticket.number(), 0) << "given away, as to a local object";  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(p->give().number(), 7);
  EXPECT_EQ(p->keep_moved(Ticket(8)), 8);
  EXPECT_EQ(ov::start(p)->give().get().number(), 8);
  auto point = std::make_unique<Point>(Point{5, 6});
  EXPECT_EQ(p->own(std::move(point)), 5);
  EXPECT_EQ(point, nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(p->own(std::move(point)), -1) << "an empty one too";
  EXPECT_EQ(p->own(std::make_unique<Point>(Point{1, 0}), 2), 3);
  EXPECT_EQ(*p->make(true), (Point{3, 4}));
  EXPECT_EQ(ov::start(p)->make(false).get(), nullptr);
}

TEST_P(Overloads, ViewsArriveAsViewsOfACopy) {
  std::string text = "four";
  EXPECT_EQ(p->length(text) + p->length("three") + p->length(std::string_view("a")), 10u);
  std::vector<double> data(5000, 0.5);
  EXPECT_EQ(p->total(data), 2500.0) << "a vector for a span, called by name";
  EXPECT_EQ(p->total(std::span<const double>(data).subspan(4998)), 1.0);
  EXPECT_EQ(p->total(data, 1.0), 2501.0);
  std::vector<int> numbers{1, 2};
  EXPECT_EQ(here.make<FromViews>(std::string_view("v"), std::span<const int>(numbers))->text(), "v2");
}

TEST_P(Overloads, OfAFinalClass) {
  auto last = here.make<Last>();
  EXPECT_EQ(last->f(3) + last->f(3, 4), 15);
}

TEST(Keys, TellOverloadsApart) {
  using ov::detail::MethodOf;
  auto key = [](const ov::detail::Method* method) { return method->key; };
  EXPECT_EQ(key(MethodOf<static_cast<std::string (Shelf::*)(int)>(&Shelf::at)>::entry), "overload_tests::Shelf::at(int)");
  EXPECT_EQ(key(MethodOf<static_cast<std::string (Shelf::*)(int) const>(&Shelf::at)>::entry), "overload_tests::Shelf::at(int) const");
  EXPECT_THAT(key(MethodOf<static_cast<std::string (Shelf::*)(std::vector<int> &&)>(&Shelf::take)>::entry), testing::HasSubstr("&&)"));
  EXPECT_EQ(key(MethodOf<&Shelf::swap_points>::entry), "overload_tests::Shelf::swap_points(overload_tests::Point&, overload_tests::Point&)");
  EXPECT_EQ(key(MethodOf<&Shelf::convert<int>>::entry), "overload_tests::Shelf::convert<int>(double) const");
}

}  // namespace
}  // namespace overload_tests
