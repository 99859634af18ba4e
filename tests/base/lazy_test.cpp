// Parts that are made when they are first asked for: once, in any thread, without deadlock.
#include <koppel/base/lazy.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using koppel::Lazy;

// Runs the work in a thread of its own; false when it does not come back, which a deadlock would
// not. Such a thread is left alone: the test has failed by then.
bool returns(std::function<void()> work) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  std::thread([work = std::move(work), done] {
    work();
    done->set_value();
  }).detach();
  return future.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
}

TEST(Lazy, IsMadeOnceByEightThreads) {
  auto count = std::make_shared<std::atomic<int>>(0);
  const Lazy<int> part([count] { return ++*count; });
  std::vector<std::thread> threads;
  std::atomic<int> sum = 0;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { sum += *part; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*count, 1);
  EXPECT_EQ(sum, 8);
}

TEST(Lazy, APartOfItselfIsAnErrorAndNoDeadlock) {
  ASSERT_TRUE(returns([] {
    auto part = std::make_shared<Lazy<int>>();
    *part = Lazy<int>([part = part.get()] { return **part + 1; });
    EXPECT_THROW(**part, std::logic_error);
  }));
}

TEST(Lazy, APartOfItselfThroughAnotherIsAnError) {
  ASSERT_TRUE(returns([] {
    Lazy<int> a, b;
    a = Lazy<int>([&b] { return *b + 1; });
    b = Lazy<int>([&a] { return *a + 1; });
    EXPECT_THROW(*a, std::logic_error);
    EXPECT_THROW(*b, std::logic_error);
  }));
}

// Each maker waits a little, so that both threads have begun before either asks for the other part.
TEST(Lazy, TwoThatNeedEachOtherFromTwoThreadsAreErrorsInBoth) {
  ASSERT_TRUE(returns([] {
    Lazy<int> a, b;
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    a = Lazy<int>([&] { return wait(), *b + 1; });
    b = Lazy<int>([&] { return wait(), *a + 1; });
    std::thread first([&] { EXPECT_THROW(*a, std::logic_error); });
    std::thread second([&] { EXPECT_THROW(*b, std::logic_error); });
    first.join();
    second.join();
  }));
}

// The first thread makes `outer`, which needs `inner`; the second has asked for `inner` meanwhile.
TEST(Lazy, OneThatNeedsAnotherThatIsAskedForMeanwhileIsMade) {
  ASSERT_TRUE(returns([] {
    std::promise<void> begun;
    const Lazy<int> inner([] { return 1; });
    const Lazy<int> outer([&] {
      begun.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return *inner + 1;
    });
    std::thread second([&] {
      begun.get_future().wait();
      EXPECT_EQ(*inner, 1);
    });
    EXPECT_EQ(*outer, 2);
    second.join();
  }));
}

TEST(Lazy, AMakerThatThrowsIsAskedAgain) {
  int calls = 0;
  const Lazy<int> part([&calls] {
    if (++calls == 1) throw std::runtime_error("not yet");
    return calls;
  });
  EXPECT_THROW(*part, std::runtime_error);
  EXPECT_EQ(*part, 2);
  EXPECT_EQ(*part, 2);
}

}  // namespace
