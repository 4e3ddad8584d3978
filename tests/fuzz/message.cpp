// SPDX-License-Identifier: Apache-2.0
// Arguments of calls and notices of agents, decoded from any bytes: byte 0 says the type, byte 1 the pages (low half) and bulk parts (high half),
// bytes 2 and 3 the length of a bulk part; the rest is the body. What was decoded and is encoded again decodes to the same.
#include <array>
#include <cstring>
#include <utility>

#include "fuzz/kit/check.hpp"
#include "machine/control.hpp"
#include "octavo/data/page_map.hpp"
#include "octavo/data/storage.hpp"
#include "octavo/fft/plan.hpp"
#include "octavo/wire/archive.hpp"

namespace {

namespace wire = octavo::wire;
using octavo::fuzz::require;

// References to pages, counted as the pool would.
struct Keeper final : wire::PageKeeper {
  void release(const wire::PageRef& page) noexcept override { gone += page.bytes; }
  void accept(const wire::PageRef& /*page*/, std::uint32_t /*way*/) override {}
  void close_way(std::uint32_t /*way*/) noexcept override {}
  std::uint64_t gone = 0;
};
struct Taken {  // as a Page: whether there is one, then its reference
  bool there = false;
  wire::PageRef page;
  void save(wire::Encoder& out) const {
    out(there);
    if (there) out.put_page(page, nullptr);
  }
  void load(wire::Decoder& in) {
    in(there);
    if (!there) return;
    page = in.take_page();
    if (in.keeper() != nullptr) in.keeper()->release(page);  // whoever takes a page owes that
  }
};
struct Point {
  double x = 0, y = 0;
  std::string name;
};
struct Deep {
  std::vector<Deep> children;
};
enum class colour : std::uint8_t { red, green };
struct Everything {
  std::vector<Point> points;
  std::map<std::string, std::vector<int>> table;
  std::optional<Point> maybe;
  std::variant<int, std::string> either;
  std::tuple<bool, double, colour> three;
  std::array<std::int16_t, 3> fixed{};
  std::set<std::string> set;
  std::deque<std::complex<double>> deque;
  std::list<std::vector<bool>> list;
};
using Hashed = std::tuple<std::unordered_map<int, std::string>, std::unordered_set<std::int64_t>>;  // their order is not kept: they come back, no more
using Move = std::tuple<octavo::Storage, octavo::Box, octavo::Shape, octavo::dtype>;

template <class T>
void check(wire::Message message, std::size_t size) {
  T value{}, decoded{};
  wire::Decoder in(message);
  if (!octavo::fuzz::accepts(size, [&] { in(value); })) return;
  wire::Outgoing first, second;
  wire::Encoder encode(first), encode_again(second);
  encode(value);
  wire::Message again = wire::message_of(first);
  wire::Decoder in_again(again);
  in_again(decoded);
  require(in_again.left() == 0, "nothing is left of what was encoded");
  encode_again(decoded);
  bool same = first.body.size() == second.body.size() && first.bulk.size() == second.bulk.size() && first.pages.size() == second.pages.size();
  require(same && (std::is_same_v<T, Hashed> || first.body == second.body), "encoded again it is the same bytes");
  if constexpr (std::is_same_v<T, octavo::Shape>) require(value.size() >= 0 && value.size() <= octavo::max_dims, "a shape's dimensions are bounded");
  if constexpr (std::is_same_v<T, octavo::Box>) require(value.lo.size() == value.hi.size(), "a box's corners have as many dimensions");
}

using Check = void (*)(wire::Message, std::size_t);
constexpr std::array<Check, 16> checks{check<Everything>,
                                       check<std::vector<double>>,
                                       check<std::string>,
                                       check<octavo::Shape>,
                                       check<octavo::Box>,
                                       check<octavo::Storage>,
                                       check<octavo::fft::FftPlan>,
                                       check<octavo::PageMap>,
                                       check<octavo::control::Notice>,
                                       check<std::vector<Taken>>,
                                       check<Deep>,
                                       check<Hashed>,
                                       check<Move>,
                                       check<std::vector<std::vector<float>>>,
                                       check<std::vector<octavo::fft::FftPass>>,
                                       check<std::vector<std::deque<std::string>>>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  Keeper keeper;
  std::uint64_t given = 0;
  {
    wire::Message message;
    message.keeper = &keeper;
    for (std::uint64_t i = 0, n = data[1] & 15; i < n; ++i) given += message.pages.emplace_back(wire::PageRef{i << 12, 1ULL << i, 1, 0}).bytes;
    for (int i = 0, n = data[1] >> 4; i < n; ++i) {
      std::size_t bytes = data[2] | std::size_t{data[3]} << 8;
      std::memset(message.bulk.emplace_back(bytes).span().data(), data[3], bytes);
      size += bytes;  // they came too
    }
    std::size_t body = size - 4 - (data[1] >> 4) * (data[2] | std::size_t{data[3]} << 8);
    message.body = wire::Buffer(body);
    if (body != 0) std::memcpy(message.body.span().data(), data + 4, body);
    checks[data[0] % checks.size()](std::move(message), size);
  }
  require(keeper.gone == given, "each page is taken or released, once");
  return 0;
}
