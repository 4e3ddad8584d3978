// SPDX-License-Identifier: Apache-2.0
// The header of a page file: as it comes; if its checksum is wrong, once more with the right one. What was read is written the same.
#include <string>

#include "data/codec/crc32c.hpp"
#include "data/format/pages/page_file.hpp"
#include "fuzz/kit/check.hpp"

namespace {

constexpr auto header_bytes = static_cast<std::size_t>(octavo::page_file_header_bytes);

// Inputs may be short: the rest of a header is nearly always zeros.
std::string with_checksum(std::string_view bytes) {
  std::string whole(bytes.substr(0, header_bytes));
  whole.resize(header_bytes);
  std::uint32_t sum = octavo::crc32c(std::string_view(whole).substr(0, header_bytes - 4));
  for (std::size_t i = 0; i < 4; ++i) whole[header_bytes - 4 + i] = static_cast<char>(sum >> (8 * i));
  return whole;
}

void check(std::string_view bytes) {
  using namespace octavo;
  PageFileHeader header;
  if (!fuzz::accepts(bytes.size(), [&] { header = parse_page_file_header(bytes, "0.pages"); })) return;
  fuzz::require(is_array_id(header.array_id) && header.device >= 0 && header.device < header.devices && header.devices <= most_devices, "it has its place");
  fuzz::require(header.page.count() >= 1 && header.pages >= 1 && header.file_bytes() > page_file_header_bytes, "the file has a size");
  fuzz::require(page_file_header_text(header) == bytes.substr(0, header_bytes), "written again it is the same bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = octavo::fuzz::as_text(data, size);
  check(bytes);
  check(with_checksum(bytes));
  return 0;
}
