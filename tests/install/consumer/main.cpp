#include <cstdio>
#include <koppel/koppel.hpp>

int main() {
  std::printf("koppel %s, commit %s\n", koppel::version(), koppel::commit());
  return 0;
}
