// SPDX-License-Identifier: Apache-2.0
#include <octavo/group.hpp>
#include <string>

class Worker {
 public:
  explicit Worker(std::vector<double> data) : data_(std::move(data)) {}
  double sum() const { return data_.size() == 2 ? data_[0] + data_[1] : -1; }
  void read(std::string, int) {}
  double solve() const { return 1; }
  void stop() {}

 private:
  std::vector<double> data_;
};
OCTAVO_REMOTE(Worker, sum, read, solve, stop)

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  std::vector<double> data{1, 2};
  std::vector<std::string> files(8, "file");
  const int flags = 0;
  // sample
  return parts == std::vector<double>(8, 3) && done.get() == std::vector<double>(8, 1) ? 0 : 1;
}
