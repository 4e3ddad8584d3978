// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file. What was read and is written again reads the same, but for byte order and offset, which the writer chooses.
#include "data/format/npy.hpp"
#include "fuzz/kit/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octavo;
  NpyHeader header;
  if (!fuzz::accepts(size, [&] { header = parse_npy(fuzz::as_text(data, size), "a.npy"); })) return 0;
  fuzz::require(header.offset >= 10 && header.offset <= static_cast<std::int64_t>(size), "the data begins behind the header");
  fuzz::require(header.shape.count() >= 0 && header.shape.count() <= (std::int64_t{1} << 62) / size_of(header.type), "the array has a size, which may be 0");
  NpyHeader again = parse_npy(npy_header_text(header.shape, header.type), "again");
  fuzz::require(again.shape == header.shape && again.type == header.type && again.offset == npy_data_offset, "written again it reads the same");
  return 0;
}
