// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/token_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TokenFileTest : public ::testing::Test {
 protected:
  ~TokenFileTest() override { unlink(path_.c_str()); }

  void Write(const std::string& text) { std::ofstream(path_) << text; }
  // Never refreshed by itself.
  absl::StatusOr<std::unique_ptr<TokenFile>> Open() {
    return TokenFile::Open(path_, std::chrono::hours(1));
  }

  const std::string path_ =
      absl::StrCat(::testing::TempDir(), "stridecast_tokens_", getpid());
};

TEST_F(TokenFileTest, HasEachLineAndNothingElse) {
  Write("# of the old deployment\nsecret-1\n\n  abc.DEF_~+/==\r\nlast");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  for (const char* token : {"secret-1", "abc.DEF_~+/==", "last"}) {
    EXPECT_TRUE((*file)->Has(token)) << token;
  }
  for (const char* token :
       {"", "secret-", "secret-11", "secret", "SECRET-1", " secret-1",
        "secret-1 ", "abc.DEF_~+/=", "# of the old deployment", "las", "last\n",
        "secret-1\n\n  abc.DEF_~+/=="}) {
    EXPECT_FALSE((*file)->Has(token)) << token;
  }
  EXPECT_FALSE((*file)->Has(std::string("last\0", 5)));
}

TEST_F(TokenFileTest, ChangesCountFaultsDoNot) {
  Write("first");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  Write("first\nsecond");
  EXPECT_FALSE((*file)->Has("second"));
  EXPECT_EQ((*file)->Refresh(), absl::OkStatus());
  EXPECT_FALSE((*file)->is_stale());
  EXPECT_TRUE((*file)->Has("first"));
  EXPECT_TRUE((*file)->Has("second"));
  Write("second");
  EXPECT_EQ((*file)->Refresh(), absl::OkStatus());
  EXPECT_FALSE((*file)->Has("first"));
  for (const char* text : {"", "# none", "sec ret", "third\nf\xC3\xBCnf"}) {
    Write(text);
    EXPECT_EQ((*file)->Refresh().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE((*file)->is_stale()) << text;
    EXPECT_TRUE((*file)->Has("second")) << text;
    EXPECT_FALSE((*file)->Has("third")) << text;
  }
  unlink(path_.c_str());
  EXPECT_FALSE((*file)->Refresh().ok());
  EXPECT_TRUE((*file)->Has("second"));
  Write("second");  // as it was
  EXPECT_EQ((*file)->Refresh(), absl::OkStatus());
  EXPECT_FALSE((*file)->is_stale());
}

TEST_F(TokenFileTest, FaultsNameTheLineNotTheToken) {
  Write("good\nsecret word\n");
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 2 is no token"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  unlink(path_.c_str());
  EXPECT_THAT(std::string(Open().status().message()),
              HasSubstr("cannot be read"));
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(std::string(Open().status().message()),
              HasSubstr("cannot be read"));
  unlink(path_.c_str());
  EXPECT_THAT(
      std::string(TokenFile::Open(::testing::TempDir(), std::chrono::hours(1))
                      .status()
                      .message()),
      HasSubstr("cannot be read"))
      << "a folder";
}

}  // namespace
}  // namespace stridecast
