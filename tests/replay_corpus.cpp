// Runs a fuzz target once on every file of the folders and files given, so that ordinary
// builds keep the corpus passing; and on random changes of them, for which neither clang nor
// libFuzzer is needed:
//
//   tests/fuzz/run_fuzz --changes=100000 --seed=7 tests/fuzz/corpus/run
//
// An input that ends the program is left in the file `last-input` where --keep is given.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& root) {
  if (fs::is_regular_file(root)) return {root};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

// Changes texts at random, in ways that are likely to keep them readable.
class Changer {
 public:
  Changer(std::uint64_t seed, const std::vector<std::string>& texts)
      : random_(seed), texts_(texts) {}

  std::string next() {
    std::string text = pick(texts_);
    const std::size_t count = 1 + below(4);
    for (std::size_t k = 0; k < count; ++k) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  const std::string& pick(const std::vector<std::string>& items) {
    return items[below(items.size())];
  }

  // A word or number of a text: where it starts, and its length.
  std::pair<std::size_t, std::size_t> word(const std::string& text) {
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    };
    std::size_t begin = below(text.size());
    while (begin < text.size() && !is_part(text[begin])) ++begin;
    while (begin > 0 && is_part(text[begin - 1])) --begin;
    std::size_t end = begin;
    while (end < text.size() && is_part(text[end])) ++end;
    return {begin, end - begin};
  }

  void change(std::string& text) {
    static const std::vector<std::string> kValues = {
        "0",   "1",      "-1",     "1e308",    "-1e-308",
        "1e9", "nan",    "inf",    "0.5",      "[]",
        "{}",  "''",     "null",   "true",     "x",
        "t",   "ground", "pi",     "1/0",      "a.b",
        "~",   "2 deg",  "[0, 0]", "sqrt(-1)", "9007199254740993",
        "*a",  "&a",     "1..3"};
    const std::size_t at = below(text.size() + 1);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 1: text.erase(at, below(8)); break;
      case 2: text.insert(at, 1, static_cast<char>(random_())); break;
      case 3: text.insert(at, text.substr(below(text.size()), below(40))); break;
      case 4: {
        const auto [begin, length] = word(text);
        text.replace(begin, length, pick(kValues));
        break;
      }
      case 5: {  // a word of another text
        const std::string& other = pick(texts_);
        const auto [from, size] = word(other);
        const auto [begin, length] = word(text);
        text.replace(begin, length, other.substr(from, size));
        break;
      }
      case 6: {  // a line of another text
        const std::string& other = pick(texts_);
        const std::size_t from = below(other.size());
        const std::size_t end = std::min(other.find('\n', from), other.size());
        text.insert(at, other.substr(from, end - from + 1));
        break;
      }
      default: {  // lines out
        const std::size_t end = std::min(text.find('\n', at), text.size());
        text.erase(at, end - at);
      }
    }
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& texts_;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t changes = 0, seed = 1;
  bool is_kept = false;
  std::vector<std::string> texts;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--changes=")) {
      changes = std::stoul(argument.substr(10));
    } else if (argument.starts_with("--seed=")) {
      seed = std::stoul(argument.substr(7));
    } else if (argument == "--keep") {
      is_kept = true;
    } else {
      for (const fs::path& path : files_in(argument)) texts.push_back(read(path));
    }
  }
  for (const std::string& text : texts) run(text);
  if (texts.empty()) return 1;
  Changer changer(seed, texts);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::string text = changer.next();
    if (is_kept) std::ofstream("last-input", std::ios::binary) << text;
    run(text);
  }
  std::printf("%zu inputs, %zu changes\n", texts.size(), changes);
}
