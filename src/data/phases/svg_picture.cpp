// SPDX-License-Identifier: Apache-2.0
// A picture of timelines: a bar for each process from left to right, coloured by phase, above an axis of seconds.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/phases/pictures.hpp"
#include "data/phases/span_recorder.hpp"

namespace octavo {

namespace {

constexpr int left = 250, bars_width = 1000, bar = 18, step = 24, top = 44, letter = 7;
// Told apart by those who do not see red and green alike, too (Okabe and Ito).
constexpr std::array colours = {"#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#f0e442", "#eeeeee"};

// With two digits behind the point, whatever the program's locale has in its place.
std::string text_of(double value) {
  std::array<char, 64> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 2).ptr;
  return {digits.data(), end};
}
std::string text_of(int value) { return std::to_string(value); }
std::string text_of(const std::string& value) { return value; }

template <class... Values>
std::string joined(const Values&... values) {
  return (text_of(values) + ...);
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (static_cast<unsigned char>(c) < 0x20) safe += ' ';
    else safe += c;
  }
  return safe;
}

std::string words(double x, double y, const std::string& text, const char* anchor = "start") {
  return joined("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", anchor, "\">", escaped(text), "</text>\n");
}

std::string shortest(double value) {
  std::array<char, 64> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 6).ptr;
  return {digits.data(), end};
}

// 1, 2 or 5 times a power of ten, so that there are four to ten of them.
double tick_of(double seconds) {
  const double power = std::pow(10, std::floor(std::log10(seconds / 4)));
  for (double each : {5.0, 2.0})
    if (seconds / (each * power) >= 4) return each * power;
  return power;
}

std::string axis(double seconds, double pixels_a_second, int bottom) {
  std::string text;
  const double tick = tick_of(seconds);
  for (int i = 0; i * tick <= seconds * (1 + 1e-9); ++i) {
    const double x = left + i * tick * pixels_a_second;
    text += joined("<path d=\"M", x, " ", top - 6, "V", bottom, "\" stroke=\"#bbbbbb\"/>\n");
    text += words(x, bottom + 14, joined(shortest(i * tick), " s"), "middle");
  }
  return text;
}

std::string legend() {
  std::string text;
  double x = left;
  for (std::size_t i = 0; i < phase_count; ++i) {
    const std::string name = name_of(static_cast<phase>(i));
    text += joined("<rect x=\"", x, "\" y=\"10\" width=\"12\" height=\"12\" fill=\"", colours[i], "\"/>\n");
    text += words(x + 16, 20, name);
    x += 36 + letter * static_cast<double>(name.size());
  }
  return text;
}

// Not more spans than a bar has pixels: one path for each phase.
std::string bar_of(const ProcessTimeline& told, std::int64_t zero, double pixels, int y) {
  SpanRecorder seen(bars_width);
  for (const auto& span : told.timeline.spans) seen.add(span);
  std::array<std::string, phase_count> paths;
  for (const auto& span : seen.spans()) {
    const double x = left + static_cast<double>(span.begin - zero) * pixels, width = static_cast<double>(span.end - span.begin) * pixels;
    paths[static_cast<std::size_t>(span.what)] += joined("M", x, " ", y, "h", width, "v", bar, "h-", width, "z");
  }
  std::string text = words(left - 8, y + 13, title_of(told), "end");
  for (std::size_t i = 0; i < phase_count; ++i)
    if (!paths[i].empty()) text += joined("<path fill=\"", colours[i], "\" d=\"", paths[i], "\"><title>", name_of(static_cast<phase>(i)), "</title></path>\n");
  return text;
}

}  // namespace

std::string svg_picture(const std::vector<ProcessTimeline>& processes) {
  const PhaseSpan extent = extent_of(processes);
  const double seconds = std::max(1e-6, static_cast<double>(extent.end - extent.begin) / 1e9), pixels = bars_width / (seconds * 1e9);
  const int bottom = top + step * static_cast<int>(processes.size());
  const int width = left + bars_width + 40, height = bottom + 24;
  std::string text = joined("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
                            "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  text += legend() + axis(seconds, bars_width / seconds, bottom);
  for (std::size_t i = 0; i < processes.size(); ++i) text += bar_of(processes[i], extent.begin, pixels, top + step * static_cast<int>(i));
  return text + "</svg>\n";
}

}  // namespace octavo
