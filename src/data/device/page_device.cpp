// SPDX-License-Identifier: Apache-2.0
// What every device can do by its read and write (D-8).
#include "octavo/data/page_device.hpp"

#include "data/permute.hpp"

namespace octavo {

namespace {

// Resumes on the thread that runs the device's methods, not on the disk's: the queue stays full, and one part is turned at a time.
// The part has its page, and permute() waits for no other one unless the page is shared: reads wait for pages to be taken away, never for each other.
future<ArrayPage> turned_when_read(future<ArrayPage> reading, Shape order) {
  ArrayPage block = co_await reading;
  block.permute(order);
  co_return std::move(block);
}

}  // namespace

future<ArrayPage> PageDevice::read_permuted(std::int64_t page, const Box& part, dtype as, const Shape& order) {
  check_order(order, part.dims());
  auto reading = read(page, part, as);
  if (is_identity(order)) return reading;
  return turned_when_read(std::move(reading), order);
}

DeviceCounters DeviceCounters::since(const DeviceCounters& before) const {
  if (began != before.began) return *this;
  return {bytes_read - before.bytes_read, bytes_written - before.bytes_written, requests - before.requests,
          road_bytes - before.road_bytes, phases.since(before.phases),          began};
}

future<void> PageDevice::write_page(ArrayPage data, std::int64_t page) {
  const Box part = Box::whole(data.shape());
  if (const Shape whole = facts().page; data.shape() != whole)
    throw usage_error("a block of " + data.shape().text() + " was written as page " + std::to_string(page) + ", which has " + whole.text(),
                      "Give write() the part of the page, too");
  return write(std::move(data), page, part);
}

future<void> PageDevice::write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) {
  check_order(order, part.dims());
  data.permute(inverse(order));
  return write(std::move(data), page, part);
}

}  // namespace octavo
