// SPDX-License-Identifier: Apache-2.0
// An exception as it arrives from another process, from any bytes: it is always one that can be told, and passed on as the same.
#include "process/errors/error_report.hpp"

#include <string>

#include "fuzz/kit/check.hpp"

namespace {

namespace wire = octavo::wire;

std::string told(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const octavo::error& e) {
    return std::to_string(static_cast<int>(e.kind())) + e.what();
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    octavo::fuzz::require(false, "what arrives is an exception with a text");
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  octavo::fuzz::accepts(size, [&] {
    auto message = wire::message_of(wire::FrameHeader{}, std::as_bytes(std::span(data, size)));
    auto first = octavo::detail::decode_error(message);
    octavo::fuzz::require(first != nullptr, "there is an exception");
    wire::Outgoing out;
    octavo::detail::encode_error(out, first, {}, "a method");
    auto passed_on = wire::message_of(out);
    octavo::fuzz::require(told(octavo::detail::decode_error(passed_on)) == told(first), "passed on it says the same");
  });
  return 0;
}
