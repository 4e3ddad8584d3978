// SPDX-License-Identifier: Apache-2.0
// The text of a cluster's key, as a file has it or another process writes it. A key that is taken is written as the same text.
#include <unistd.h>

#include <array>
#include <string>

#include "fuzz/kit/check.hpp"
#include "octavo/base/fd.hpp"
#include "road/net/tls/secret.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(octavo::fuzz::as_text(data, size));
  octavo::fuzz::accepts(size, [&] {
    auto key = octavo::road::TlsSecret::parse(text, "the key");
    std::array<int, 2> ends{};
    octavo::fuzz::require(::pipe(ends.data()) == 0, "there is a pipe");
    octavo::Fd reads(ends[0]), writes(ends[1]);
    octavo::road::TlsSecret::write(key, writes.get());
    std::string again(text.size() + 1, '\0');
    auto n = ::read(reads.get(), again.data(), again.size());
    octavo::fuzz::require(n == static_cast<ssize_t>(text.size()) && again.starts_with(text), "written again it is the same text");
  });
  return 0;
}
