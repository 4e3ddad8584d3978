// SPDX-License-Identifier: Apache-2.0
// C-5: the exceptions of the standard library arrive as they are: type, text, and what else they carry.
#include <any>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <regex>
#include <sstream>
#include <typeinfo>
#include <variant>

#include "conformance/process/every_place.hpp"

namespace process_tests {

namespace {

class OwnCategory final : public std::error_category {
  [[nodiscard]] const char* name() const noexcept override { return "own"; }
  [[nodiscard]] std::string message(int /*value*/) const override { return "the pump stands still"; }
};
const OwnCategory own_category;

void fail_as_a_stream_does() {
  std::istringstream in("no number");
  in.exceptions(std::ios::failbit);
  int number = 0;
  in >> number;
}

using Throw = void (*)();
const Throw all[] = {
    [] { throw std::filesystem::filesystem_error("moving", "/a/b", "/c", std::make_error_code(std::errc::cross_device_link)); },
    [] { (void)std::filesystem::file_size("/not/there"); },
    [] { throw std::ios_base::failure("reading", std::io_errc::stream); },
    [] { fail_as_a_stream_does(); },
    [] { throw std::system_error(std::make_error_code(std::io_errc::stream), "a stream"); },
    [] { throw std::system_error(EPERM, std::system_category(), "opening"); },
    [] { throw std::system_error(EPERM, std::generic_category()); },
    [] { throw std::system_error(1, own_category, "pumping"); },
    [] { throw std::future_error(std::future_errc::broken_promise); },
    [] {
      auto broken = std::promise<int>().get_future();
      broken.get();
    },
    [] { const std::regex wrong("("); },
    [] { (void)std::optional<int>().value(); },
    [] { (void)std::get<int>(std::variant<double, int>(1.0)); },
    [] { std::function<void()>()(); },
    [] { (void)std::any_cast<int>(std::any(1.0)); },
    [] { (void)std::shared_ptr<int>(std::weak_ptr<int>()); },
    [] { throw std::bad_array_new_length(); },
    [] { throw std::bad_typeid(); },
    [] { throw std::bad_cast(); },
    [] { throw std::bad_exception(); },
    [] { throw std::bad_alloc(); },
    [] { (void)std::string("short").substr(9); },
    [] {
      try {
        throw std::logic_error("within");
      } catch (...) {
        std::throw_with_nested(std::overflow_error("around it"));
      }
    },
};

struct Thrower {
  void fail(int number) { all[number](); }
  void fail_by(const ov::remote_ptr<Thrower>& other, int number) { ov::call<&Thrower::fail>(other, number); }
};
OCTAVO_REMOTE(Thrower, fail, fail_by)

class StandardErrors : public EveryPlace {
 protected:
  // That what `number` throws here arrives as an E with the same text; by way of another object, too. Then `look` is given it.
  template <class E, class Look>
  void expect(int number, Look look) {
    std::string text;
    try {
      all[number]();
    } catch (const std::exception& e) {
      text = e.what();
    }
    for (const bool far : {false, true}) try {
        if (far) other->fail_by(p, number);
        else p->fail(number);
        ADD_FAILURE() << number << " threw nothing";
      } catch (const E& e) {
        EXPECT_EQ(e.what(), text);
        EXPECT_NE(ov::origin(e), nullptr) << number;
        look(e);
      } catch (const std::exception& e) {
        ADD_FAILURE() << number << " arrived as another type: " << typeid(e).name() << ": " << e.what();
      }
  }
  template <class E>
  void expect(int number) {
    expect<E>(number, [](const E&) {});
  }
  ov::remote_ptr<Thrower> p = here.make<Thrower>(), other = here.make<Thrower>();
};

TEST_P(StandardErrors, C5_WithPathsAndCodes) {
  expect<std::filesystem::filesystem_error>(0, [](const auto& e) {
    EXPECT_EQ(e.path1(), "/a/b");
    EXPECT_EQ(e.path2(), "/c");
    EXPECT_EQ(e.code(), std::errc::cross_device_link);
  });
  expect<std::filesystem::filesystem_error>(1, [](const auto& e) {
    EXPECT_EQ(e.path1(), "/not/there");
    EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
  });
  for (int number : {2, 3}) expect<std::ios_base::failure>(number, [](const auto& e) { EXPECT_EQ(e.code(), std::io_errc::stream); });
  expect<std::future_error>(8, [](const auto& e) { EXPECT_EQ(e.code(), std::future_errc::broken_promise); });
  expect<std::future_error>(9, [](const auto& e) { EXPECT_EQ(e.code(), std::future_errc::broken_promise); });
  expect<std::regex_error>(10, [](const auto& e) { EXPECT_EQ(e.code(), std::regex_constants::error_paren); });
}

TEST_P(StandardErrors, C5_ASystemErrorKeepsItsCategory) {
  expect<std::system_error>(4, [](const auto& e) {
    EXPECT_EQ(e.code(), std::io_errc::stream);
    EXPECT_NE(e.code(), std::errc::operation_not_permitted);
  });
  expect<std::system_error>(5, [](const auto& e) {
    EXPECT_EQ(e.code(), std::error_code(EPERM, std::system_category()));
    EXPECT_EQ(e.code(), std::errc::operation_not_permitted);
  });
  expect<std::system_error>(6, [](const auto& e) { EXPECT_EQ(e.code(), std::error_code(EPERM, std::generic_category())); });
  // One of the user's own is known to this program only: its text is kept, and its number is taken for no other.
  expect<std::system_error>(7, [](const auto& e) {
    EXPECT_THAT(e.what(), HasSubstr("the pump stands still"));
    EXPECT_EQ(e.code().value(), 1);
    EXPECT_NE(e.code(), std::errc::operation_not_permitted);
  });
}

TEST_P(StandardErrors, C5_AllOthers) {
  expect<std::bad_optional_access>(11);
  expect<std::bad_variant_access>(12);
  expect<std::bad_function_call>(13);
  expect<std::bad_any_cast>(14);
  expect<std::bad_weak_ptr>(15);
  expect<std::bad_array_new_length>(16);
  expect<std::bad_typeid>(17);
  expect<std::bad_cast>(18);
  expect<std::bad_exception>(19);
  expect<std::bad_alloc>(20);
  expect<std::out_of_range>(21);
  expect<std::overflow_error>(22);
}

INSTANTIATE_TEST_SUITE_P(, StandardErrors, every_place, name_of_place);

}  // namespace

}  // namespace process_tests
