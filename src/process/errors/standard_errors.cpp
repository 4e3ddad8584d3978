// SPDX-License-Identifier: Apache-2.0
// The exceptions of the standard library, and how those travel that carry more than a text (C-5).
#include <any>
#include <filesystem>
#include <functional>
#include <future>
#include <ios>
#include <memory>
#include <optional>
#include <regex>
#include <variant>
#include <version>
#ifdef __cpp_lib_format
#include <format>
#endif

#include "process/errors/error_report.hpp"

namespace octavo::detail {

namespace standard_errors {

namespace {

// Of a category that another program has, or that is the user's: it is not known here, and only equal to itself.
class ForeignCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "octavo.foreign"; }
  [[nodiscard]] std::string message(int value) const override { return "error " + std::to_string(value) + " of a category that is not known here"; }
};

const std::error_category& category_of(const std::string& name) {
  static const ForeignCategory foreign;
  for (const std::error_category* each : {&std::generic_category(), &std::system_category(), &std::iostream_category(), &std::future_category()})
    if (name == each->name()) return *each;
  return foreign;
}

struct ErrorCode {
  int value = 0;
  std::string category;
  explicit operator std::error_code() const { return {value, category_of(category)}; }
};
ErrorCode error_code_of(const std::system_error& e) { return {e.code().value(), e.code().category().name()}; }

[[maybe_unused]] const bool with_codes =
    name_by_parts<std::system_error>(
        "std::system_error", [](const std::system_error& e) { return std::tuple(error_code_of(e)); },
        [](const ErrorCode& code) { return std::system_error(std::error_code(code)); }) &&
    name_by_parts<std::ios_base::failure>(
        "std::ios_base::failure", [](const std::ios_base::failure& e) { return std::tuple(error_code_of(e)); },
        [](const ErrorCode& code) { return std::ios_base::failure(std::string(), std::error_code(code)); }) &&
    name_by_parts<std::filesystem::filesystem_error>(
        "std::filesystem::filesystem_error",
        [](const std::filesystem::filesystem_error& e) { return std::tuple(error_code_of(e), e.path1().native(), e.path2().native()); },
        [](const ErrorCode& code, const std::string& one, const std::string& other) {
          return std::filesystem::filesystem_error(std::string(), one, other, std::error_code(code));
        }) &&
    name_by_parts<std::future_error>(
        "std::future_error", [](const std::future_error& e) { return std::tuple(e.code().value()); },
        [](int value) { return std::future_error(static_cast<std::future_errc>(value)); }) &&
    name_by_parts<std::regex_error>(
        "std::regex_error", [](const std::regex_error& e) { return std::tuple(static_cast<int>(e.code())); },
        [](int value) { return std::regex_error(static_cast<std::regex_constants::error_type>(value)); });

OCTAVO_ERROR(std::runtime_error)
OCTAVO_ERROR(std::logic_error)
OCTAVO_ERROR(std::invalid_argument)
OCTAVO_ERROR(std::domain_error)
OCTAVO_ERROR(std::length_error)
OCTAVO_ERROR(std::out_of_range)
OCTAVO_ERROR(std::range_error)
OCTAVO_ERROR(std::overflow_error)
OCTAVO_ERROR(std::underflow_error)
OCTAVO_ERROR(std::bad_alloc)
OCTAVO_ERROR(std::bad_array_new_length)
OCTAVO_ERROR(std::bad_cast)
OCTAVO_ERROR(std::bad_any_cast)
OCTAVO_ERROR(std::bad_typeid)
OCTAVO_ERROR(std::bad_exception)
OCTAVO_ERROR(std::bad_weak_ptr)
OCTAVO_ERROR(std::bad_function_call)
OCTAVO_ERROR(std::bad_optional_access)
OCTAVO_ERROR(std::bad_variant_access)
#ifdef __cpp_lib_format
OCTAVO_ERROR(std::format_error)
#endif
OCTAVO_ERROR(std::exception)

}  // namespace

}  // namespace standard_errors

// What libstdc++ throws where a stream fails, and what std::throw_with_nested makes of an exception: what is nested stays behind.
std::string standard_name(const std::string& type_name) {
  constexpr std::string_view nesting = "std::_Nested_exception<";
  if (type_name == "std::__ios_failure") return "std::ios_base::failure";
  if (!type_name.starts_with(nesting) || !type_name.ends_with(">")) return {};
  return type_name.substr(nesting.size(), type_name.size() - nesting.size() - 1);
}

}  // namespace octavo::detail
