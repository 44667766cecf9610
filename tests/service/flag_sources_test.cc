// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where flags come from: command line, environment, file.

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/command_line.h"
#include "tests/service/command_line_testing.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A variable of the environment, as long as it lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    setenv(name, value, /*replace=*/1);
  }
  ~ScopedVariable() { unsetenv(name_); }

 private:
  const char* const name_;
};

std::string FlagFile(const std::string& text) {
  const std::string path = ::testing::TempDir() + "stridecast_flags";
  std::ofstream(path) << text;
  return "--flag-file=" + path;
}

TEST(FlagSourcesTest, TheCommandLineCountsMostTheFileLeast) {
  const ScopedVariable threads("STRIDECAST_THREADS", "5");
  const ScopedVariable bytes("STRIDECAST_MAX_MESSAGE_BYTES", "2MiB");
  const ScopedVariable empty("STRIDECAST_LOG_LEVEL", "");
  const std::string file = FlagFile(
      "# of all replicas\nthreads = 7\nmax-message-bytes=3MiB\n"
      "max-result-bytes=4096\nlisten=127.0.0.1:1,127.0.0.1:2\n"
      "log-level=\"error\"\nreflection=off\n");
  const CommandLine line = Parse({"--threads=6", file.c_str()});
  ASSERT_FALSE(line.exit_code.has_value()) << line.err;
  EXPECT_EQ(line.options.threads, 6);
  EXPECT_EQ(line.options.max_message_bytes, 2 << 20);
  EXPECT_EQ(line.options.max_result_bytes, 4096);
  EXPECT_THAT(line.options.listen, ElementsAre("127.0.0.1:1", "127.0.0.1:2"));
  EXPECT_EQ(line.options.log_level, "error");
  EXPECT_FALSE(line.options.reflection);
  EXPECT_THAT(line.warnings, IsEmpty());
  const ScopedVariable listen("STRIDECAST_LISTEN", "[::1]:3,unix:/s");
  EXPECT_THAT(Parse({file.c_str()}).options.listen,
              ElementsAre("[::1]:3", "unix:/s"));
}

TEST(FlagSourcesTest, AVariableNamesTheFile) {
  const ScopedVariable file(
      "STRIDECAST_FLAG_FILE",
      FlagFile("threads=7").substr(strlen("--flag-file=")).c_str());
  EXPECT_EQ(Parse({}).options.threads, 7);
}

TEST(FlagSourcesTest, WhatIsPrintedIsAFlagFile) {
  const std::string printed =
      Parse({"--listen=127.0.0.1:0,unix:/a", "--threads=3", "--reflection=off",
             "--unix-socket-mode=0600", "--print-config"})
          .out;
  EXPECT_EQ(Parse({FlagFile(printed).c_str(), "--print-config"}).out, printed);
  EXPECT_THAT(printed, HasSubstr("listen=127.0.0.1:0,unix:/a\n"));
}

TEST(FlagSourcesTest, CommentsBeginALineOrFollowASpace) {
  EXPECT_EQ(Parse({FlagFile("# threads=3\n  # more\nthreads=4").c_str()})
                .options.threads,
            4);
  const std::string printed = Parse({"--listen=unix:/a#b,unix:/c",
                                     "--token-file=/d#e", "--print-config"})
                                  .out;
  const CommandLine line = Parse({FlagFile(printed).c_str()});
  EXPECT_THAT(line.options.listen, ElementsAre("unix:/a#b", "unix:/c"));
  EXPECT_EQ(line.options.token_file, "/d#e");
  const CommandLine rest =
      Parse({FlagFile("threads = 4 # four\nlisten=unix:/a # \"b\n"
                      "tls-certificate=\"/c # d\" # e\ntls-private-key=/f#g\n")
                 .c_str()});
  EXPECT_EQ(rest.options.threads, 4) << rest.err;
  EXPECT_THAT(rest.options.listen, ElementsAre("unix:/a"));
  EXPECT_EQ(rest.options.tls_certificate, "/c # d");
  EXPECT_EQ(rest.options.tls_private_key, "/f#g");
}

TEST(FlagSourcesTest, WhatIsPrintedIsReadAsItWas) {
  for (const std::string path :
       {"", "/a b", "/a#b", "/a #b", "/a'b #c", "x\"y\" #z", "/a=b", "[a]"}) {
    const std::string flag = absl::StrCat("--tls-client-ca=", path);
    const std::string printed =
        Parse({flag.c_str(), "--tls-certificate=/c", "--tls-private-key=/k",
               "--print-config"})
            .out;
    const CommandLine line = Parse({FlagFile(printed).c_str()});
    EXPECT_FALSE(line.exit_code.has_value()) << line.err;
    EXPECT_EQ(line.options.tls_client_ca, path) << printed;
  }
}

// What counts more can take away what counts less.
TEST(FlagSourcesTest, TextsMayBeEmpty) {
  const std::string file = FlagFile("simd-target=AVX2\nlog-level=error\n");
  EXPECT_EQ(Parse({file.c_str()}).options.simd_target, "AVX2");
  const ScopedVariable target("STRIDECAST_SIMD_TARGET", "MMX");
  EXPECT_EQ(Parse({file.c_str()}).exit_code, kExitBadUsage);
  const std::vector<std::vector<const char*>> kEmpty = {
      {file.c_str(), "--simd-target="}, {file.c_str(), "--simd-target", ""}};
  for (const auto& flags : kEmpty) {
    const CommandLine line = Parse(flags);
    EXPECT_FALSE(line.exit_code.has_value()) << line.err;
    EXPECT_EQ(line.options.simd_target, "");
    EXPECT_EQ(line.options.log_level, "error");
  }
}

TEST(FlagSourcesTest, AnEmptyItemIsAFaultWhereverItComesFrom) {
  const ScopedVariable listen("STRIDECAST_LISTEN", ",");
  const CommandLine line = Parse({});
  EXPECT_EQ(line.exit_code, kExitBadUsage);
  EXPECT_THAT(line.err, HasSubstr("--listen: \",\" has an empty item"));
}

TEST(FlagSourcesTest, NumbersAreDecimal) {
  for (const char* flag :
       {"--threads=010", "--threads=0x2", "--threads=", "--threads=1.5",
        "--max-message-bytes=010MiB", "--max-message-bytes=0x100000"}) {
    EXPECT_EQ(Parse({flag}).exit_code, kExitBadUsage) << flag;
  }
  EXPECT_EQ(Parse({"--threads=0"}).options.threads, 0);
  EXPECT_EQ(Parse({"--max-message-bytes=1 MiB"}).options.max_message_bytes,
            1 << 20);
}

TEST(FlagSourcesTest, BadValuesTellTheirSource) {
  {
    const ScopedVariable threads("STRIDECAST_THREADS", "two");
    const CommandLine line = Parse({});
    EXPECT_EQ(line.exit_code, kExitBadUsage);
    EXPECT_THAT(line.err, HasSubstr("--threads: \"two\" is no whole"));
    EXPECT_THAT(line.err, HasSubstr("environment sets STRIDECAST_THREADS."));
  }
  const struct {
    const char* file;
    const char* text;
  } kRows[] = {{"thread=3", " sets \"thread\", which is no flag"},
               {"listen=h:1\nthreads=2\nlisten=h:2", "sets \"listen\" twice"},
               {"print-config=true", "sets \"print-config\", which is no flag"},
               {"[server]\nthreads=3", "sets \"[server]\", which is no flag"},
               {"; threads=3", "sets \"; threads\", which is no flag"},
               {"=5", "sets \"\", which is no flag"},
               {"token-file", "has no value for \"token-file\""},
               {"threads=", "--threads: a value is missing"},
               {"listen=", "--listen: a value is missing"},
               {"token-file='/a", "has quotes that do not match for \"token-"},
               {"token-file=\"/a\"b", "has quotes that do not match"},
               {"threads=5000", "--threads: 5000 is outside [0, 4096]"},
               {"threads=two", "--threads: \"two\" is no whole decimal"},
               {"channelz=maybe", "--channelz: \"maybe\" is neither on nor"}};
  for (const auto& row : kRows) {
    const std::string file = FlagFile(row.file);
    const CommandLine line = Parse({file.c_str()});
    EXPECT_EQ(line.exit_code, kExitBadUsage) << row.file;
    EXPECT_THAT(line.err, HasSubstr(row.text));
    EXPECT_THAT(line.err, HasSubstr(file.substr(strlen("--flag-file="))));
  }
}

TEST(FlagSourcesTest, AFaultOfTheFileTellsItsName) {
  const std::string file = FlagFile("threads=2\nthreads=3");
  const CommandLine line = Parse({file.c_str(), "--threads=1"});
  EXPECT_EQ(line.exit_code, kExitBadUsage);
  EXPECT_THAT(line.err,
              HasSubstr(absl::StrCat("the flag file ", file.substr(12),
                                     " sets \"threads\" twice")));
}

// As at the start.
TEST(FlagSourcesTest, PrintConfigFailsForFilesThatAreNotThere) {
  const struct {
    std::vector<const char*> flags;
    const char* text;
  } kRows[] = {
      {{"--tls-certificate=/no/c", "--tls-private-key=/no/k"}, "/no/c"},
      {{"--listen=unix:/s", "--token-file=/no/t"}, "--token-file: \"/no/t\""}};
  for (auto [flags, text] : kRows) {
    EXPECT_EQ(Parse(flags).exit_code, std::nullopt);
    flags.push_back("--print-config");
    const CommandLine line = Parse(flags);
    EXPECT_EQ(line.exit_code, EXIT_FAILURE);
    EXPECT_THAT(line.err, HasSubstr(text));
  }
}

// As Kubernetes sets them in each pod of the namespace of a service.
constexpr const char* kServiceLinks[] = {
    "STRIDECAST_SERVICE_HOST",        "STRIDECAST_SERVICE_PORT",
    "STRIDECAST_SERVICE_PORT_GRPC",   "STRIDECAST_PORT",
    "STRIDECAST_PORT_50051_TCP",      "STRIDECAST_PORT_50051_TCP_PROTO",
    "STRIDECAST_PORT_50051_TCP_PORT", "STRIDECAST_PORT_50051_TCP_ADDR",
    "STRIDECAST_METRICS_PORT",        "STRIDECAST_METRICS_SERVICE_HOST"};

TEST(FlagSourcesTest, UnknownVariablesWarnServiceLinksDoNot) {
  const ScopedVariable typo("STRIDECAST_THREDS", "3");
  const ScopedVariable of_the_tool("STRIDECAST_SERVER", "127.0.0.1:50051");
  for (const char* name : kServiceLinks) {
    setenv(name, "tcp://10.0.0.1:50051", /*replace=*/1);
  }
  const CommandLine line = Parse({});
  for (const char* name : kServiceLinks) unsetenv(name);
  EXPECT_FALSE(line.exit_code.has_value()) << line.err;
  EXPECT_THAT(line.warnings,
              ElementsAre(HasSubstr("STRIDECAST_THREDS sets nothing")));
}

TEST(FlagSourcesTest, NoFlagHasAServiceLinksName) {
  for (const char* name : kServiceLinks) {
    EXPECT_TRUE(IsServiceLinkVariable(name)) << name;
  }
  const std::string help = Parse({"--help"}).out;
  int num_flags = 0;
  for (size_t at = help.find("(Env:"); at != std::string::npos;
       at = help.find("(Env:", at + 1)) {
    const std::string name = help.substr(at + 5, help.find(')', at) - at - 5);
    EXPECT_FALSE(IsServiceLinkVariable(name)) << name;
    ++num_flags;
  }
  EXPECT_GT(num_flags, 20);
}

}  // namespace
}  // namespace stridecast
