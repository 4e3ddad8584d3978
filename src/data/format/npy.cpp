// SPDX-License-Identifier: Apache-2.0
#include "data/format/npy.hpp"

#include <algorithm>

#include "data/format/npy_literal.hpp"
#include "data/text/json.hpp"
#include "data/text/text_file.hpp"
#include "data/text/type_code.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::int64_t longest_header = 1 << 20;
constexpr const char* not_npy = "Check the file; numpy.save writes such files";

struct Preamble {
  std::int64_t header_begin, header_bytes;
};

// The first 10 or 12 bytes: npy_magic, version, length of the header.
Preamble parse_preamble(std::string_view start, const std::string& file) {
  if (!start.starts_with(npy_magic)) throw usage_error("'" + file + "' is not a .npy file: it does not begin with \\x93NUMPY", not_npy);
  if (start.size() < 12) throw io_error("'" + file + "' is truncated: it has " + std::to_string(start.size()) + " bytes", "Copy it again");
  auto at = [&](std::size_t i) { return static_cast<std::int64_t>(static_cast<unsigned char>(start[i])); };
  if (at(6) < 1 || at(6) > 3) throw not_supported("'" + file + "' has version " + std::to_string(at(6)) + " of the .npy format", "Save it with numpy.save");
  if (at(6) == 1) return {10, at(8) + (at(9) << 8)};
  return {12, at(8) + (at(9) << 8) + (at(10) << 16) + (at(11) << 24)};
}

void set_type(NpyHeader& header, const std::string& descr, const std::string& file) {
  bool marked = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  std::string_view code = std::string_view(descr).substr(marked ? 1 : 0);
  auto type = type_of_code(code);
  if (!type) throw not_supported("'" + file + "' has elements of the NumPy type '" + cut(std::string(code)) + "'", convert_it(code) + "; then numpy.save");
  header.type = *type;
  char mark = marked ? descr[0] : '=';
  if (mark == '|' && size_of(header.type) > 1) throw usage_error("'" + file + "': descr '" + cut(descr) + "' has no byte order", not_npy);
  header.order = mark == '>' ? byte_order::big : byte_order::little;
}

// At most one axis is longer than 1, or there are no elements: Fortran's and MATLAB's writers call that Fortran order, too.
bool is_in_both_orders(const Shape& shape) {
  return std::ranges::count_if(shape, [](std::int64_t extent) { return extent != 1; }) <= 1 || std::ranges::find(shape, 0) != shape.end();
}

}  // namespace

bool is_npy(const std::string& path) { return read_bytes(open_to_read(path), path, static_cast<std::int64_t>(npy_magic.size())) == npy_magic; }

NpyHeader parse_npy(std::string_view start, const std::string& file) {
  Preamble preamble = parse_preamble(start, file);
  std::int64_t offset = preamble.header_begin + preamble.header_bytes;
  if (preamble.header_bytes > longest_header)
    throw usage_error("'" + file + "': a .npy header of " + std::to_string(preamble.header_bytes) + " bytes", not_npy);
  if (static_cast<std::int64_t>(start.size()) < offset)
    throw io_error("'" + file + "' is truncated: a header of " + std::to_string(offset) + " bytes expected, " + std::to_string(start.size()) + " found",
                   "Copy it again");
  NpyLiteral literal = parse_npy_literal(start.substr(static_cast<std::size_t>(preamble.header_begin), static_cast<std::size_t>(preamble.header_bytes)), file);
  NpyHeader header;
  header.offset = offset;
  set_type(header, literal.descr, file);
  header.shape = literal.shape;
  if (literal.fortran_order && !is_in_both_orders(header.shape))
    throw not_supported("'" + file + "' is in Fortran order",
                        "Its transpose is in C order, and no copy of it is needed: in Python give numpy.load(path, mmap_mode='r').T in the place of the path; "
                        "its axes are the other way round. For a file of it: octavo.copy(numpy.load(path, mmap_mode='r').T, 'turned.npy')");
  check_shape(header.shape, header.type, "'" + file + "'");
  return header;
}

NpyHeader read_npy(const std::string& path) {
  std::int64_t bytes = 0;
  Fd file = open_to_read(path, &bytes);
  std::string start = read_bytes(file, path, std::min(bytes, longest_header + 12));
  NpyHeader header = parse_npy(start, path);
  std::int64_t expected = header.offset + header.shape.count() * size_of(header.type);
  if (bytes < expected)
    throw io_error("'" + path + "' is truncated: " + std::to_string(expected) + " bytes expected, " + std::to_string(bytes) + " found",
                   "Copy or write the file again; it was perhaps interrupted");
  return header;
}

std::string npy_header_text(const Shape& shape, dtype type) {
  std::string extents;
  for (std::int64_t extent : shape) extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  if (shape.size() == 1) extents += ",";
  std::string text = "{'descr': '" + type_code(type, byte_order::little) + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  std::int64_t length = npy_data_offset - 10;
  text.resize(static_cast<std::size_t>(length - 1), ' ');
  std::string start = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return start + text + "\n";
}

}  // namespace octavo
