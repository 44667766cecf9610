// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A tour of layouts and broadcasting in numbers small enough to read: each stop
// prints what is sent and the memory of what comes back, slot by slot, and
// checks it. Exits with 1 if anything is not as it should be.
//
//   stridecast-tour [host:port]

#include <iostream>
#include <string>
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

// One element-wise addition, or a relayout where there is one operand only.
struct Stop {
  std::string title;
  std::vector<Operand> operands;
  DimVector broadcast_dimensions;
  PhysicalForm result_form;
  std::vector<float> expected;
};

PhysicalForm Order(DimVector minor_to_major, DimVector padded = {},
                   PaddingValue value = PaddingValue::kZero) {
  return DimensionOrder{std::move(minor_to_major), std::move(padded), value};
}

PhysicalForm Strides(DimVector strides, int64_t total_elements = 0) {
  return ElementStrides{std::move(strides), 0, total_elements};
}

std::vector<Stop> Stops() {
  const std::vector<float> abcdef = {1, 2, 3, 4, 5, 6};
  const Operand matrix{abcdef, {2, 3}, {}};
  return {
      {"column-major: minor_to_major [0,1]",
       {matrix},
       {},
       Order({0, 1}),
       {1, 4, 2, 5, 3, 6}},
      {"the same, padded to [3,5] with zeros",
       {matrix},
       {},
       Order({0, 1}, {3, 5}),
       {1, 4, 0, 2, 5, 0, 3, 6, 0, 0, 0, 0, 0, 0, 0}},
      {"the same, padded with ones",
       {matrix},
       {},
       Order({0, 1}, {3, 5}, PaddingValue::kOne),
       {1, 4, 1, 2, 5, 1, 3, 6, 1, 1, 1, 1, 1, 1, 1}},
      {"strides {1,2} written",
       {matrix},
       {},
       Strides({1, 2}),
       {1, 4, 2, 5, 3, 6}},
      {"strides {0,1} read one row twice",
       {{{1, 2, 3}, {2, 3}, Strides({0, 1})}},
       {},
       {},
       {1, 2, 3, 1, 2, 3}},
      {"strides {5,1} skip the rest of a ten-slot buffer",
       {{{1, 2, 3, -1, -1, 4, 5, 6, -1, -1}, {2, 3}, Strides({5, 1}, 10)}},
       {},
       {},
       abcdef},
      {"[2,3] + [3], dimension 0 of the vector being dimension 1",
       {matrix, {{7, 8, 9}, {3}, {}}},
       {1},
       {},
       {8, 10, 12, 11, 13, 15}},
      {"[2,3] + a scalar",
       {matrix, {{7}, {}, {}}},
       {},
       {},
       {8, 9, 10, 11, 12, 13}},
      {"[4] + [1,2], dimension 0 of the vector being dimension 0",
       {{{1, 2, 3, 4}, {4}, {}}, {{5, 6}, {1, 2}, {}}},
       {0},
       {},
       {6, 7, 7, 8, 8, 9, 9, 10}},
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
      std::cerr << view.status() << "\n";
      return false;
    }
    std::cout << "  " << view->desc.ToString() << " in memory "
              << absl::StrJoin(operand.slots, " ") << "\n";
    operands.push_back(*view);
    values.push_back(b.Parameter(view->desc));
  }
  b.Result(values.size() > 1
               ? b.Add(values[0], values[1], stop.broadcast_dimensions)
               : values[0],
           stop.result_form);
  const auto results = client.Compute(b.Build(), operands);
  if (!results.ok()) {
    std::cerr << results.status() << "\n";
    return false;
  }
  const OwnedTensor& result = results->front();
  const auto slots = result.slots<float>();
  std::cout << "  -> " << result.desc().ToString() << " in memory "
            << absl::StrJoin(slots, " ") << "\n";
  if (std::vector<float>(slots.begin(), slots.end()) == stop.expected) {
    return true;
  }
  std::cerr << "  expected " << absl::StrJoin(stop.expected, " ") << "\n";
  return false;
}

int Main(const std::string& server) {
  const Client client = Client::Connect(server);
  bool all_equal = true;
  for (const Stop& stop : Stops()) all_equal &= Visit(client, stop);

  // What cannot be added is refused in XLA's words, with the field to mend.
  std::cout << "\n[2,3] + [3] without saying which dimension\n";
  ProgramBuilder b;
  b.Result(b.Add(b.Parameter(*TensorDesc::Create(DType::kF32, {2, 3})),
                 b.Parameter(*TensorDesc::Create(DType::kF32, {3}))));
  const absl::Status refusal = client.Explain(b.Build()).status();
  std::cout << "  -> " << absl::StatusCodeToString(refusal.code()) << " "
            << refusal.message() << "\n";
  all_equal &= absl::IsInvalidArgument(refusal);
  std::cout << (all_equal ? "\nall as it should be\n" : "\nDIFFERENCES\n");
  return all_equal ? 0 : 1;
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  return stridecast::Main(argc > 1 ? argv[1] : "127.0.0.1:50051");
}
