// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast_accuracy: measures the greatest error of every operation that is
// not exactly defined, against MPFR, and writes a table in Markdown. Ends with
// 1 if a bound of program.proto is broken.

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/accuracy/measure.h"

namespace stridecast::accuracy {
namespace {

constexpr char kUsage[] =
    R"(stridecast_accuracy: greatest errors, in units in the last place (ULP)

  --inputs=N    inputs per operation on f32 and f64; 4000000 by default
  --all-f32     all 2^32 f32 inputs of unary operations: some minutes each
  --only=A,B    these operations alone, by their names in program.proto
  --types=a,b   these element types alone: f32,f64
  --threads=N   as many as CPUs by default
  --smoke       a few thousand inputs: a test that takes seconds
)";

struct Options {
  Effort effort{.inputs = 4'000'000, .complex_inputs = 200'000};
  std::vector<std::string> only;
  std::vector<std::string> types;
};

bool ParseOption(absl::string_view argument, Options& options) {
  Effort& effort = options.effort;
  if (argument == "--all-f32") return effort.all_f32 = true;
  if (argument == "--smoke") {
    effort.inputs = effort.complex_inputs = 4000;
    effort.narrow_stride = 17;
    return true;
  }
  if (absl::ConsumePrefix(&argument, "--inputs=")) {
    return absl::SimpleAtoi(argument, &effort.inputs);
  }
  if (absl::ConsumePrefix(&argument, "--threads=")) {
    return absl::SimpleAtoi(argument, &effort.num_threads) &&
           effort.num_threads > 0;
  }
  if (absl::ConsumePrefix(&argument, "--only=")) {
    options.only = absl::StrSplit(argument, ',');
    return true;
  }
  if (absl::ConsumePrefix(&argument, "--types=")) {
    options.types = absl::StrSplit(argument, ',');
    return true;
  }
  return false;
}

// No names stand for all.
bool IsAmong(const std::vector<std::string>& names, absl::string_view name) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

std::string Row(const Measurement& m) {
  const std::string start =
      absl::StrCat("| ", OperationOf(m.opcode).label, " | ", DTypeName(m.type));
  if (!m.fault.empty()) return absl::StrCat(start, " | FAULT: ", m.fault, " |");
  return absl::StrCat(start, " | ", absl::StrFormat("%.3f", m.error),
                      m.IsRight() ? "" : " OVER THE BOUND", " | ", m.bound,
                      " | ", m.where, " | ", m.inputs, " |");
}

bool MeasureAll(const Options& options) {
  std::puts("| operation | type | greatest error, ULP | bound | at | inputs |");
  std::puts("|---|---|---|---|---|---|");
  bool right = true;
  int num_narrow = 0;
  int num_rounded = 0;
  for (const Operation& operation : AllOperations()) {
    if (!IsAmong(options.only, operation.label)) continue;
    for (DType type : kAllDTypes) {
      if (!IsAmong(options.types, DTypeName(type)) ||
          !IsMeasured(operation.opcode, type)) {
        continue;
      }
      const Measurement m = Measure(operation.opcode, type, options.effort);
      right = right && m.IsRight();
      // One line for all that are as they should be.
      const bool is_narrow = type == DType::kF16 || type == DType::kBF16;
      num_narrow += is_narrow ? 1 : 0;
      if (is_narrow && m.IsRight()) {
        ++num_rounded;
        continue;
      }
      std::puts(Row(m).c_str());
      std::fflush(stdout);
    }
  }
  std::printf(
      "\nf16 and bf16: %d of %d give f32's results, rounded to nearest even.\n",
      num_rounded, num_narrow);
  return right;
}

int Main(int argc, char** argv) {
  Options options;
  options.effort.num_threads =
      static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 1; i < argc; ++i) {
    if (ParseOption(argv[i], options)) continue;
    std::fputs(kUsage, stderr);
    return 2;
  }
  return MeasureAll(options) ? 0 : 1;
}

}  // namespace
}  // namespace stridecast::accuracy

int main(int argc, char** argv) {
  return stridecast::accuracy::Main(argc, argv);
}
