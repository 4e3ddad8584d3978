// SPDX-License-Identifier: Apache-2.0
// What cannot be written to is refused when it is opened to that end, and not when the first block is written back.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Line = ov::BufferedArray<std::int32_t, 1>;

Line open(const std::string& path, const std::string& mode) {
  const bool bare = path.ends_with(".raw") && mode != "w";
  return Line(path, bare || mode == "w" ? ov::Shape{100} : ov::Shape(), {.mode = mode, .chunk = {10}});
}

// chattr +i, which binds root too; as long as it lives.
class Immutable {
 public:
  explicit Immutable(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) { set(FS_IMMUTABLE_FL); }
  ~Immutable() { set(0); }
  Immutable(const Immutable&) = delete;
  Immutable& operator=(const Immutable&) = delete;
  [[nodiscard]] bool is_set() const { return set_; }

 private:
  void set(int flags) { set_ = ::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags) == 0; }
  ov::Fd file_;
  bool set_ = false;
};

class ReadOnly : public testing::Test {
  ov::kit::Watchdog watchdog{60};
};

TEST_F(ReadOnly, OnAReadOnlyFileSystemOnlyReadingIsPossible) {
  const ov::test::Mounted disk("tmpfs", "size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "no mount: " << disk.why();
  const std::vector<std::string> names{"u.raw", "u.npy", "u.zarr", "u.octavo"};
  for (const auto& name : names) open(disk / name, "w")[3] = 7;
  ASSERT_EQ(::mount("none", (disk / "").c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  for (const auto& name : names) {
    const std::string path = disk / name;
    const auto u = open(path, "r");
    EXPECT_EQ(u[3], 7) << name;
    EXPECT_THAT([&] { open(path, "r+"); }, ThrowsMessage<ov::io_error>(AllOf(HasSubstr(path), HasSubstr("Read-only file system"), HasSubstr("mode \"r\""))))
        << name;
    EXPECT_THAT([&] { open(path, "w"); }, ThrowsMessage<ov::io_error>(HasSubstr("Read-only file system"))) << name;
  }
}

TEST_F(ReadOnly, AFileThatMayNotBeChangedIsRefused) {
  const ov::test::Scratch scratch;
  open(scratch / "u.npy", "w")[3] = 7;
  const Immutable kept(scratch / "u.npy");
  if (!kept.is_set()) GTEST_SKIP() << "no attributes of files";
  const auto u = open(scratch / "u.npy", "r");
  EXPECT_EQ(u[3], 7);
  EXPECT_THAT([&] { open(scratch / "u.npy", "r+"); }, ThrowsMessage<ov::io_error>(AllOf(HasSubstr("u.npy"), HasSubstr("not permitted"))));
}

}  // namespace
