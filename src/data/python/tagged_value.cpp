// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/python/detail/tagged_value.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace octavo::detail {

namespace {

constexpr std::uint8_t bytes_follow = 0, given_page = 2, value_page = 3, last_page = 3;  // kinds of a part (python/bindings/objects/value/value.cpp)
constexpr std::uint8_t shared_page = 1;
constexpr std::size_t most_parts = 255;
constexpr std::uint64_t inside = 0;  // instead of a part's index: the bytes follow

// As NumPy has them in dtype.str, in the order of dtype.
constexpr std::array<std::string_view, dtype_count> dtype_texts{"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16"};

[[noreturn]] void refuse_value(const char* what) {
  throw io_error(std::string("a Python value that arrived ") + what, "Use the same version of Octavo on both sides");
}

std::uint64_t zigzag(std::int64_t value) { return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63); }

}  // namespace

ByteView TaggedValue::Part::view() const noexcept {
  if (page) return {page.data(), static_cast<std::size_t>(page.size())};
  return bytes ? ByteView(bytes->span()) : ByteView();
}

void TaggedValue::put_raw(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  body_.insert(body_.end(), from, from + bytes);
}

void TaggedValue::put_count(std::uint64_t count) {
  do {
    const auto byte = static_cast<std::uint8_t>(count & 0x7f);
    count >>= 7;
    put_byte(count == 0 ? byte : static_cast<std::uint8_t>(byte | 0x80));
  } while (count != 0);
}

void TaggedValue::put_text(std::string_view text) {
  put_count(text.size());
  put_raw(text.data(), text.size());
}

void TaggedValue::put_integer(std::int64_t value) {
  put_tag(value_tag::integer);
  put_count(zigzag(value));
}

void TaggedValue::put_real(double value) {
  put_tag(value_tag::real);
  put_raw(&value, sizeof value);
}

// Within the body, or as a part.
void TaggedValue::put_beside(ByteView bytes) {
  if (bytes.size() < wire::bulk_threshold || parts_.size() == most_parts) {
    put_count(inside);
    return put_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  wire::Buffer copy(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.span().begin());
  parts_.push_back({{}, bytes_follow, std::make_shared<const wire::Buffer>(std::move(copy))});
  put_count(parts_.size());
}

void TaggedValue::put_bytes(ByteView bytes) {
  put_tag(value_tag::bytes);
  put_beside(bytes);
}

void TaggedValue::put_list(std::size_t count) {
  put_tag(value_tag::list);
  put_count(count);
}

void TaggedValue::put_array_facts(dtype type, const Shape& shape) {
  put_tag(value_tag::array);
  put_text(dtype_texts.at(static_cast<std::size_t>(type)));
  put_count(static_cast<std::uint64_t>(shape.size()));
  for (const auto extent : shape) put_count(static_cast<std::uint64_t>(extent));
}

void TaggedValue::put_array(dtype type, const Shape& shape, ByteView elements) {
  put_array_facts(type, shape);
  put_beside(elements);
}

void TaggedValue::put_array(const ArrayPage& array) {
  const auto bytes = static_cast<std::size_t>(array.bytes());
  if (bytes < wire::bulk_threshold || parts_.size() == most_parts) return put_array(array.type(), array.shape(), {array.data(), bytes});
  put_array_facts(array.type(), array.shape());
  parts_.push_back({array.page(), shared_page, {}});
  put_count(parts_.size());
}

void TaggedValue::put_scalar(dtype type, ByteView element) {
  put_tag(value_tag::scalar);
  put_text(dtype_texts.at(static_cast<std::size_t>(type)));
  put_text({reinterpret_cast<const char*>(element.data()), element.size()});
}

void TaggedValue::put_pointer(const Address& to, std::string_view title) {
  put_tag(value_tag::pointer);
  put_raw(&to.agent, sizeof to.agent);
  put_raw(&to.incarnation, sizeof to.incarnation);
  put_raw(&to.object, sizeof to.object);
  put_text(title);
}

void TaggedValue::save_parts(wire::Encoder& out) const {
  const bool giving = std::exchange(out.giving, false);  // copies of this value have its pages, too
  const auto count = static_cast<std::uint8_t>(parts_.size());
  out.put(&count, 1);
  for (const auto& part : parts_) {
    out.put(&part.kind, 1);
    if (part.kind != bytes_follow) {
      part.page.save(out);
      continue;
    }
    const auto bytes = part.view();
    const std::uint64_t size = bytes.size();
    out.put(&size, sizeof size);
    out.put_bulk(bytes.data(), bytes.size());
  }
  out.giving = giving;
}

void TaggedValue::load_parts(wire::Decoder& in) {
  std::uint8_t count = 0;
  in.get(&count, 1);
  parts_.clear();
  for (int i = 0; i < count; ++i) {
    auto& part = parts_.emplace_back();
    in.get(&part.kind, 1);
    if (part.kind > last_page)
      throw not_supported("a segment, or the end of a channel, was passed from Python to C++", "Pass an array, or post what it holds to a mailbox");
    if (part.kind != bytes_follow) {
      part.page.load(in);
      if (part.kind == given_page) part.kind = value_page;
      continue;
    }
    std::uint64_t size = 0;
    in.get(&size, sizeof size);
    in.check_bytes(size, 1);
    part.bytes = std::make_shared<const wire::Buffer>(in.take_bulk(static_cast<std::size_t>(size)));
  }
}

void TaggedValue::save(wire::Encoder& out) const {
  save_parts(out);
  out.put(body_.data(), body_.size());
}

void TaggedValue::load(wire::Decoder& in) {
  load_parts(in);
  body_.resize(in.left());
  in.get(body_.data(), body_.size());
}

void SizedValue::save(wire::Encoder& out) const {
  value.save_parts(out);
  const std::uint64_t size = value.body_.size();
  out.put(&size, sizeof size);
  out.put(value.body_.data(), value.body_.size());
}

void SizedValue::load(wire::Decoder& in) {
  value.load_parts(in);
  std::uint64_t size = 0;
  in.get(&size, sizeof size);
  in.check_bytes(size, 1);
  value.body_.resize(static_cast<std::size_t>(size));
  in.get(value.body_.data(), value.body_.size());
}

ByteView TaggedReader::take(std::uint64_t bytes) {
  if (bytes > left_.size()) refuse_value("ends too early");
  const auto taken = left_.first(static_cast<std::size_t>(bytes));
  left_ = left_.subspan(taken.size());
  return taken;
}

value_tag TaggedReader::tag() const {
  if (left_.empty()) refuse_value("ends too early");
  return static_cast<value_tag>(left_.front());
}

value_tag TaggedReader::take_tag() { return static_cast<value_tag>(take_byte()); }

std::uint64_t TaggedReader::take_count() {
  std::uint64_t count = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = take_byte();
    count |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return count;
  }
  refuse_value("has a count of more than 64 bits");
}

std::string_view TaggedReader::take_text() {
  const auto bytes = take(take_count());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ByteView TaggedReader::take_beside() {
  const auto index = take_count();
  if (index == inside) return take(take_count());
  if (index > from_->parts_.size()) refuse_value("names a part that did not come");
  return from_->parts_[static_cast<std::size_t>(index - 1)].view();
}

std::int64_t TaggedReader::take_integer() {
  (void)take_tag();
  const auto value = take_count();
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

double TaggedReader::take_real() {
  (void)take_tag();
  double value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

ByteView TaggedReader::take_bytes() {
  (void)take_tag();
  return take_beside();
}

std::size_t TaggedReader::take_list() {
  (void)take_tag();
  const auto count = take_count();
  if (count > left_.size()) refuse_value("announces more items than it has bytes");
  return static_cast<std::size_t>(count);
}

dtype TaggedReader::take_dtype() {
  const auto text = take_text();
  const auto* found = std::find(dtype_texts.begin(), dtype_texts.end(), text);
  if (found == dtype_texts.end())
    throw not_supported("an array of " + std::string(text) + " was passed from Python to C++",
                        "Give one of numbers in this machine's byte order: a.astype('float64'), ...");
  return static_cast<dtype>(found - dtype_texts.begin());
}

TaggedArray TaggedReader::take_array() {
  (void)take_tag();
  TaggedArray array{take_dtype(), {}, nullptr, {}};
  const auto dimensions = take_count();
  if (dimensions > static_cast<std::uint64_t>(max_dims))
    throw not_supported("an array of " + std::to_string(dimensions) + " dimensions was passed from Python to C++",
                        "Give one of at most " + std::to_string(max_dims));
  for (std::uint64_t i = 0; i < dimensions; ++i) array.shape.push_back(static_cast<std::int64_t>(take_count()));
  TaggedReader ahead = *this;
  if (const auto index = ahead.take_count(); index != inside && index <= from_->parts_.size())
    if (const auto& page = from_->parts_[static_cast<std::size_t>(index - 1)].page) array.page = &page;
  array.elements = take_beside();
  const auto bytes = array.shape.count() * size_of(array.type);
  if (bytes != static_cast<std::int64_t>(array.elements.size())) refuse_value("has an array of another size than its shape");
  return array;
}

TaggedArray TaggedReader::take_scalar() {
  (void)take_tag();
  TaggedArray array{take_dtype(), {}, nullptr, {}};
  const auto text = take_text();
  array.elements = {reinterpret_cast<const std::byte*>(text.data()), text.size()};
  if (size_of(array.type) != static_cast<std::int64_t>(text.size())) refuse_value("has a number of another size than its type");
  return array;
}

Address TaggedReader::take_pointer(std::string& title) {
  (void)take_tag();
  Address to;
  std::memcpy(&to.agent, take(sizeof to.agent).data(), sizeof to.agent);
  std::memcpy(&to.incarnation, take(sizeof to.incarnation).data(), sizeof to.incarnation);
  std::memcpy(&to.object, take(sizeof to.object).data(), sizeof to.object);
  title = take_text();
  return to;
}

namespace {

// The class that a pickle begins with, as it does where that is made from its class; empty: it begins otherwise.
std::string class_in(std::string_view pickle) {
  constexpr char short_text = '\x8c', memoize = '\x94', global = '\x93', frame = '\x95';
  std::size_t at = 2;  // behind the protocol
  if (at < pickle.size() && pickle[at] == frame) at += 9;
  std::string name;
  for (int i = 0; i < 2; ++i) {
    if (at + 2 > pickle.size() || pickle[at] != short_text) return {};
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(pickle[at + 1]));
    if (at + 2 + size >= pickle.size()) return {};
    name += (i == 0 ? "" : ".") + std::string(pickle.substr(at + 2, size));
    at += 2 + size;
    if (at < pickle.size() && pickle[at] == memoize) ++at;
  }
  if (at >= pickle.size() || pickle[at] != global) return {};
  return name.starts_with("builtins.") ? name.substr(9) : name;
}

}  // namespace

std::string TaggedReader::described() const {
  TaggedReader ahead = *this;
  switch (tag()) {
    case value_tag::none: return "None";
    case value_tag::yes:
    case value_tag::no: return "bool";
    case value_tag::integer: return "int";
    case value_tag::real: return "float";
    case value_tag::text: return "str";
    case value_tag::bytes: return "bytes";
    case value_tag::tuple: return "tuple";
    case value_tag::list: return "list";
    case value_tag::dict: return "dict";
    case value_tag::array: {
      (void)ahead.take_tag();
      const std::string type(ahead.take_text());
      return "numpy.ndarray of " + type + " with " + std::to_string(ahead.take_count()) + " dimensions";
    }
    case value_tag::pointer: return "remote pointer";
    case value_tag::scalar: (void)ahead.take_tag(); return "NumPy number of " + std::string(ahead.take_text());
    case value_tag::pickled: break;
  }
  if (tag() != value_tag::pickled) refuse_value("has a tag that is not known here");
  (void)ahead.take_tag();
  for (auto count = ahead.take_count(); count != 0; --count) (void)ahead.take_count();
  const auto bytes = ahead.take_beside();
  const auto name = class_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return name.empty() ? "object that only Python knows" : name;
}

}  // namespace octavo::detail
