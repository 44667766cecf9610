// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A tour of layouts and broadcasting in numbers small enough to read: each stop
// prints what is sent and the memory of what comes back, slot by slot, and
// checks it. Exits with 1 if anything is not as it should be.
//
//   stridecast-tour [host:port]

#include <iostream>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stridecast/client.h"
#include "stridecast/program.h"

namespace stridecast {
namespace {

struct Operand {
  std::vector<float> slots;
  DimVector extents;
  PhysicalForm form;
};

// A relayout of one operand, its transpose, its broadcast to `shape`, or the
// sum of two.
struct Stop {
  std::string title;
  std::vector<Operand> operands;
  PhysicalForm result_form;
  std::vector<float> expected;
  DimVector broadcast_dimensions = {};
  DimVector shape = {};      // of a broadcast
  DimVector transpose = {};  // result dimension i is operand dimension [i]
  std::optional<float> element_01 = {};  // of a result of rank 2
};

struct Refusal {
  std::string title;
  DimVector lhs;
  DimVector rhs;
  DimVector broadcast_dimensions;
};

PhysicalForm Order(DimVector minor_to_major, DimVector padded = {},
                   PaddingValue value = PaddingValue::kZero) {
  return DimensionOrder{std::move(minor_to_major), std::move(padded), value};
}

PhysicalForm Strides(DimVector strides, int64_t total_elements = 0) {
  return ElementStrides{std::move(strides), 0, total_elements};
}

std::vector<float> UpTo(int last) {
  std::vector<float> numbers(static_cast<size_t>(last));
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

// The same memory comes back twice, and is two different tensors.
std::vector<Stop> LayoutIsNotTransposeStops() {
  const Operand matrix{UpTo(6), {2, 3}, {}};
  Stop layout{"layout: still [2,3], but column by column in memory",
              {matrix},
              Order({0, 1}),
              {1, 4, 2, 5, 3, 6}};
  layout.element_01 = 2;
  Stop transpose{"transpose: [3,2], dimension 0 is what was dimension 1",
                 {matrix},
                 {},
                 {1, 4, 2, 5, 3, 6}};
  transpose.transpose = {1, 0};
  transpose.element_01 = 4;
  return {layout, transpose};
}

std::vector<Stop> LayoutStops() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> abcdef = UpTo(6);
  const Operand matrix{abcdef, {2, 3}, {}};
  const auto padded = [&](std::string with, PaddingValue value, float p) {
    return Stop{"column-major, padded to [3,5] with " + std::move(with),
                {matrix},
                Order({0, 1}, {3, 5}, value),
                {1, 4, p, 2, 5, p, 3, 6, p, p, p, p, p, p, p}};
  };
  return {
      {"row-major: minor_to_major [1,0]", {matrix}, Order({1, 0}), abcdef},
      {"column-major: minor_to_major [0,1]",
       {matrix},
       Order({0, 1}),
       {1, 4, 2, 5, 3, 6}},
      padded("zeros", PaddingValue::kZero, 0),
      padded("ones", PaddingValue::kOne, 1),
      padded("the lowest number", PaddingValue::kLowest, -kInf),
      padded("the highest number", PaddingValue::kHighest, kInf),
  };
}

std::vector<Stop> StrideStops() {
  const std::vector<float> abcdef = UpTo(6);
  const Operand matrix{abcdef, {2, 3}, {}};
  const auto picture = [](std::string name, PhysicalForm form) {
    return Stop{"[1,1,3,5] as " + std::move(name) + ": the same bytes",
                {{UpTo(15), {1, 1, 3, 5}, {}}},
                std::move(form),
                UpTo(15)};
  };
  return {
      {"[2,2,3] as DHW has strides {6,3,1}: (1,0,1) is at 7 and holds 8",
       {{UpTo(12), {2, 2, 3}, {}}},
       Strides({6, 3, 1}),
       UpTo(12)},
      {"strides {1,2} written", {matrix}, Strides({1, 2}), {1, 4, 2, 5, 3, 6}},
      {"NCHW with stride 0 for C repeats the channel",
       {{{1, 2, 3, 4}, {1, 2, 2, 2}, Strides({4, 0, 2, 1})}},
       {},
       {1, 2, 3, 4, 1, 2, 3, 4}},
      {"as many slots as elements, and yet overlap and gaps: strides {5,0}",
       {{abcdef, {2, 3}, Strides({5, 0})}},
       {},
       {1, 1, 1, 6, 6, 6}},
      {"strides {0,1} read one row twice",
       {{{1, 2, 3}, {2, 3}, Strides({0, 1})}},
       {},
       {1, 2, 3, 1, 2, 3}},
      {"strides {5,1} over a buffer of ten slots",
       {{{1, 2, 3, -1, -1, 4, 5, 6, -1, -1}, {2, 3}, Strides({5, 1}, 10)}},
       {},
       abcdef},
      {"the same without total_elements: eight slots do",
       {{{1, 2, 3, -1, -1, 4, 5, 6}, {2, 3}, Strides({5, 1})}},
       {},
       abcdef},
      picture("NCHW, by default", {}),
      picture("NCHW, strides {15,15,5,1}", Strides({15, 15, 5, 1})),
      picture("NHWC, strides {15,1,5,1}", Strides({15, 1, 5, 1})),
      {"[2,3] as [1,1,2,3]", {matrix}, {}, abcdef, {2, 3}, {1, 1, 2, 3}},
  };
}

std::vector<Stop> BroadcastStops() {
  const Operand matrix{UpTo(6), {2, 3}, {}};
  const Operand square{UpTo(9), {3, 3}, {}};
  const Operand vector{{7, 8, 9}, {3}, {}};
  return {
      {"[2,3] + [3] with (1): the vector's dimension 0 is dimension 1",
       {matrix, vector},
       {},
       {8, 10, 12, 11, 13, 15},
       {1}},
      {"[2,3] + a scalar", {matrix, {{7}, {}, {}}}, {}, {8, 9, 10, 11, 12, 13}},
      {"[3,3] + [3] with (0): by rows",
       {square, vector},
       {},
       {8, 9, 10, 12, 13, 14, 16, 17, 18},
       {0}},
      {"[3,3] + [3] with (1): by columns",
       {square, vector},
       {},
       {8, 10, 12, 11, 13, 15, 14, 16, 18},
       {1}},
      {"[4] + [1,2] with (0)",
       {{{1, 2, 3, 4}, {4}, {}}, {{5, 6}, {1, 2}, {}}},
       {},
       {6, 7, 7, 8, 8, 9, 9, 10},
       {0}},
      {"[1,2] + [4,3,1] with (1,2) is [4,3,2]",
       {{{100, 200}, {1, 2}, {}}, {UpTo(12), {4, 3, 1}, {}}},
       {},
       {101, 201, 102, 202, 103, 203, 104, 204, 105, 205, 106, 206,
        107, 207, 108, 208, 109, 209, 110, 210, 111, 211, 112, 212},
       {1, 2}},
      {"[2,1] + [1,3]: an outer sum",
       {{{10, 20}, {2, 1}, {}}, {{1, 2, 3}, {1, 3}, {}}},
       {},
       {11, 12, 13, 21, 22, 23}},
  };
}

std::vector<Refusal> Refusals() {
  return {
      {"[2,3] + [3] without saying which dimension", {2, 3}, {3}, {}},
      {"[2,3] + [3] with (0)", {2, 3}, {3}, {0}},
      {"[2,3] + [3] with (2)", {2, 3}, {3}, {2}},
      {"[2,3] + [2]: one dimension number too many", {2, 3}, {2}, {0, 1}},
      {"[2,3] + [2,4]", {2, 3}, {2, 4}, {}},
  };
}

bool Visit(const Client& client, const Stop& stop) {
  std::cout << "\n" << stop.title << "\n";
  ProgramBuilder b;
  std::vector<TensorView> operands;
  std::vector<Value> values;
  for (const Operand& operand : stop.operands) {
    const auto view = View(operand.slots, operand.extents, operand.form);
    if (!view.ok()) {
      std::cerr << view.status().ToString(
                       absl::StatusToStringMode::kWithNoExtraData)
                << "\n";
      return false;
    }
    std::cout << "  " << view->desc.ToString() << " in memory "
              << absl::StrJoin(operand.slots, " ") << "\n";
    operands.push_back(*view);
    values.push_back(b.Parameter(view->desc));
  }
  Value value = values[0];
  if (values.size() > 1) {
    value = b.Add(value, values[1], stop.broadcast_dimensions);
  } else if (!stop.transpose.empty()) {
    value = b.Transpose(value, stop.transpose);
  } else if (!stop.shape.empty()) {
    value = b.BroadcastInDim(value, stop.shape, stop.broadcast_dimensions);
  }
  b.Relayout(value, stop.result_form);
  const auto results = client.Compute(*b.Build(), operands);
  if (!results.ok()) {
    std::cerr << results.status().ToString(
                     absl::StatusToStringMode::kWithNoExtraData)
              << "\n";
    return false;
  }
  const OwnedTensor& result = results->front();
  const auto slots = result.slots<float>();
  std::cout << "  -> " << result.desc().ToString() << " in memory "
            << absl::StrJoin(slots, " ") << "\n";
  if (stop.element_01.has_value()) {
    const float element = result.at<float>({0, 1});
    std::cout << "     element (0,1) is " << element << "\n";
    if (element != *stop.element_01) {
      std::cerr << "  expected " << *stop.element_01 << "\n";
      return false;
    }
  }
  if (std::vector<float>(slots.begin(), slots.end()) == stop.expected) {
    return true;
  }
  std::cerr << "  expected " << absl::StrJoin(stop.expected, " ") << "\n";
  return false;
}

// What cannot be added is refused in XLA's words, with the field to mend.
bool IsRefused(const Client& client, const Refusal& refusal) {
  std::cout << "\n" << refusal.title << "\n";
  ProgramBuilder b;
  const Value lhs = b.Parameter(*TensorDesc::Create(DType::kF32, refusal.lhs));
  const Value rhs = b.Parameter(*TensorDesc::Create(DType::kF32, refusal.rhs));
  b.Result(b.Add(lhs, rhs, refusal.broadcast_dimensions));
  const absl::Status status = client.Explain(*b.Build()).status();
  std::cout << "  -> " << absl::StatusCodeToString(status.code()) << " "
            << status.message() << "\n";
  return absl::IsInvalidArgument(status);
}

int Main(const std::string& server) {
  const Client client = Client::Connect(server);
  if (const auto info = client.GetServerInfo(); !info.ok()) {
    std::cerr << "stridecast-tour: "
              << info.status().ToString(
                     absl::StatusToStringMode::kWithNoExtraData)
              << "\n";
    return 1;
  }
  int stops = 0, faults = 0;
  for (const auto& part : {LayoutIsNotTransposeStops(), LayoutStops(),
                           StrideStops(), BroadcastStops()}) {
    for (const Stop& stop : part) {
      ++stops;
      faults += Visit(client, stop) ? 0 : 1;
    }
  }
  for (const Refusal& refusal : Refusals()) {
    ++stops;
    faults += IsRefused(client, refusal) ? 0 : 1;
  }
  std::cout << "\n" << stops << " stops, " << faults << " faults\n";
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  const std::string server = argc > 1 ? argv[1] : "127.0.0.1:50051";
  if (server == "--help") {
    std::cout << "usage: stridecast-tour [host:port]\n";
    return 0;
  }
  return stridecast::Main(server);
}
