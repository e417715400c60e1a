// Are hashes those of the standard, at every length around a block's end?
#include "profiles/base/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

std::string HashOf(std::string_view text) { return Sha256(std::as_bytes(std::span(text))); }

// The examples of FIPS 180-4.
TEST(Sha256Hash, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(HashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HashOf(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// As sha256sum prints them: the length still fits the last block, no longer does, and begins a new one.
TEST(Sha256Hash, HoldsAroundTheEndOfABlock) {
  EXPECT_EQ(HashOf(std::string(55, 'a')), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(HashOf(std::string(56, 'a')), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(HashOf(std::string(63, 'a')), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  EXPECT_EQ(HashOf(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

// However a text is cut into pieces; empty ones are among them.
TEST(Sha256Hash, OfPiecesIsThatOfTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>('a' + i % 26);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}}) {
    Sha256Sum sum;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      sum.Add(std::as_bytes(std::span(std::string_view(text).substr(at, piece))));
      sum.Add({});
    }
    EXPECT_EQ(sum.Text(), HashOf(text)) << "in pieces of " << piece;
  }
}

TEST(Sha256Hash, OfAFileIsThatOfItsBytes) {
  const TempFolder folder;
  WriteFile(folder / "abc", "abc");
  EXPECT_EQ(Sha256OfFile(folder / "abc"), HashOf("abc"));
  EXPECT_THROW(Sha256OfFile(folder / "nothing"), InputError);
}

}  // namespace
}  // namespace tandem
