// What comes to a board: files that are sent there, in one stream behind their list.
#include <span>
#include <sstream>
#include <stdexcept>

#include "device/study/store.h"
#include "profiles/base/sent_files.h"
#include "profiles/base/sha256.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

std::string SentFile(const std::string& bytes) {
  const std::string hash = Sha256(std::as_bytes(std::span(bytes)));
  const auto size = static_cast<std::int64_t>(bytes.size());
  return StoreOrderText({{{"/n/net.onnx", {"./net.onnx"}, hash, size}}, {hash}}) + bytes;
}

// The list by its values, with the length that it has then; what follows it stays.
std::string WithListChanged(const std::string& stream, std::mt19937_64& chance) {
  const std::size_t line = stream.find('\n');
  const std::size_t end = stream.rfind('}');
  if (line == std::string::npos || end == std::string::npos || end < line) {
    return WithBytesChanged(stream, chance);
  }
  const std::string list = WithValuesChanged(stream.substr(line + 1, end - line), chance);
  return std::to_string(list.size()) + "\n" + list + stream.substr(end + 1);
}

FuzzReader StoreStreams() {
  return {"store_stream",
          {SentFile("weights"), SentFile("")},
          [](const std::string& bytes) {
            const TempFolder board;
            std::istringstream from(bytes);
            const StoreAnswer answer = FileStore(board / "kept").Take(from);
            for (const auto& file : std::filesystem::directory_iterator(board)) {
              if (file.path() != board / "kept")
                throw std::logic_error(file.path().string() + " was written");
            }
            if (answer.name.empty()) return;
            FileStore(board / "kept").Use(answer.name);
            UseSentFiles({});  // they are gone with the folder
          },
          WithListChanged};
}
const FuzzReaderRegistration kStoreStreams(StoreStreams);

}  // namespace
}  // namespace tandem
