// SPDX-License-Identifier: Apache-2.0
// The header as bytes, and back.
#include "data/format/pages/page_file.hpp"

#include "data/codec/crc32c.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t at_version = 8, at_id = 16, at_device = 32, at_devices = 36, at_type = 40, at_order = 56, at_dims = 57, at_pages = 64, at_page = 72;
constexpr std::size_t at_crc = page_file_header_bytes - 4, id_bytes = 16, type_bytes = 16;

void put(std::string& bytes, std::size_t at, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t get(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  [[nodiscard]] PageFileHeader header() const {
    check_whole();
    PageFileHeader result;
    for (std::size_t i = 0; i < id_bytes; ++i) {
      auto byte = get(bytes_, at_id + i, 1);
      result.array_id += hex_digits[byte >> 4];
      result.array_id += hex_digits[byte & 15];
    }
    auto device = number(at_device, 4, "device", 0, most_devices - 1), devices = number(at_devices, 4, "number of devices", 1, most_devices);
    if (device >= devices) throw bad("it is device " + std::to_string(device) + " of " + std::to_string(devices));
    result.device = static_cast<int>(device);
    result.devices = static_cast<int>(devices);
    std::string name(bytes_.substr(at_type, type_bytes));
    name = name.substr(0, name.find('\0'));
    for (char each : name)
      if (each <= ' ' || each > '~') throw bad("the name of its dtype is no text");
    result.type = in_context([&] { return "'" + file_ + "'"; }, [&] { return parse_dtype(name); });
    char order = bytes_[at_order];
    if (order != '<' && order != '>') throw bad("its byte order is " + std::to_string(get(bytes_, at_order, 1)) + ", neither '<' nor '>'");
    result.order = order == '<' ? byte_order::little : byte_order::big;
    auto dims = number(at_dims, 1, "number of dimensions", 0, max_dims);
    for (std::int64_t axis = 0; axis < dims; ++axis)
      result.page.push_back(number(at_page + 8 * static_cast<std::size_t>(axis), 8, "extent of a page", 1, std::int64_t{1} << 62));
    result.pages = number(at_pages, 8, "number of pages", 1, std::int64_t{1} << 62);
    page_file_shape(result.page, result.pages, result.type, file_);
    // So that what a later version puts there is not passed over.
    if (page_file_header_text(result) != bytes_.substr(0, page_file_header_bytes))
      throw not_supported("the page file '" + file_ + "' has more in its header than this version knows", "Read it with a later version of Octavo");
    return result;
  }

 private:
  [[nodiscard]] usage_error bad(const std::string& what) const {
    return usage_error("the header of the page file '" + file_ + "': " + what, "Make the file again; no version of Octavo wrote this");
  }

  void check_whole() const {
    if (!bytes_.starts_with(page_file_magic)) throw usage_error("'" + file_ + "' is no page file: it does not begin as one", "Check the path");
    if (bytes_.size() < static_cast<std::size_t>(page_file_header_bytes))
      throw io_error(
          "the page file '" + file_ + "' is cut off: " + std::to_string(bytes_.size()) + " bytes of a header of " + std::to_string(page_file_header_bytes),
          "Take it from a copy, or make it again");
    if (auto found = get(bytes_, at_version, 4); found != format_version)
      throw not_supported(
          "the page file '" + file_ + "' has format version " + std::to_string(found) + "; this Octavo reads version " + std::to_string(format_version),
          "Read it with the version of Octavo that made it");
    if (get(bytes_, at_crc, 4) != crc32c(bytes_.substr(0, at_crc)))
      throw io_error("the header of the page file '" + file_ + "' is damaged: its checksum is wrong", "Take it from a copy, or make it again");
  }

  [[nodiscard]] std::int64_t number(std::size_t at, int count, const char* what, std::int64_t least, std::int64_t most) const {
    std::uint64_t value = get(bytes_, at, count);
    if (value < static_cast<std::uint64_t>(least) || value > static_cast<std::uint64_t>(most))
      throw bad(std::string("its ") + what + " is " + std::to_string(value) + ", not from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::int64_t>(value);
  }

  std::string_view bytes_;
  const std::string& file_;
};

}  // namespace

std::string PageFileHeader::text() const { return std::to_string(pages) + " pages of " + page.text() + " " + std::string(name_of(type)); }

bool is_array_id(std::string_view id) noexcept { return id.size() == 2 * id_bytes && id.find_first_not_of(hex_digits) == std::string_view::npos; }

Shape page_file_shape(const Shape& page, std::int64_t pages, dtype type, const std::string& file) {
  std::string what = "the page file '" + file + "'";
  Shape shape = page;
  if (shape.size() == 0 && pages != 1) throw usage_error(what + ": " + std::to_string(pages) + " pages without a dimension", "Give the page one of extent 1");
  if (shape.size() > 0 && __builtin_mul_overflow(shape[0], pages, &shape[0]))
    throw usage_error(what + ": " + std::to_string(pages) + " pages of " + page.text() + " have more than 2^62 bytes", "Check the shape; no disk holds that");
  check_elements(shape, type, what);
  return shape;
}

std::string page_file_header_text(const PageFileHeader& header) {
  std::string bytes(page_file_header_bytes, '\0');
  bytes.replace(0, page_file_magic.size(), page_file_magic);
  put(bytes, at_version, format_version, 4);
  if (!is_array_id(header.array_id)) throw usage_error("'" + header.array_id + "' is no array's id", "An id has 32 hex digits");
  for (std::size_t i = 0; i < id_bytes; ++i)
    put(bytes, at_id + i, hex_digits.find(header.array_id[2 * i]) << 4 | hex_digits.find(header.array_id[2 * i + 1]), 1);
  put(bytes, at_device, static_cast<std::uint64_t>(header.device), 4);
  put(bytes, at_devices, static_cast<std::uint64_t>(header.devices), 4);
  std::string_view name = name_of(header.type);
  bytes.replace(at_type, name.size(), name);
  bytes[at_order] = header.order == byte_order::little ? '<' : '>';
  put(bytes, at_dims, static_cast<std::uint64_t>(header.page.size()), 1);
  put(bytes, at_pages, static_cast<std::uint64_t>(header.pages), 8);
  for (int axis = 0; axis < header.page.size(); ++axis)
    put(bytes, at_page + 8 * static_cast<std::size_t>(axis), static_cast<std::uint64_t>(header.page[axis]), 8);
  put(bytes, at_crc, crc32c(std::string_view(bytes).substr(0, at_crc)), 4);
  return bytes;
}

PageFileHeader parse_page_file_header(std::string_view bytes, const std::string& file) { return HeaderReader(bytes, file).header(); }

}  // namespace octavo
