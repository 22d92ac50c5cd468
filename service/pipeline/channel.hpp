#pragma once
// A bounded queue between coroutines on any executors: many producers, many consumers.
//
// Exact in every race: an item is in the store, with one receiver, or back with its sender; each operation completes
// once, with the outcome that happened. Closing refuses new items and loses none: senders get theirs back, receivers
// drain. Senders are served first in, first out, and a try_push does not overtake one that waits; so are receivers.
//
// Any thread. One short mutex hold an operation; try_push and try_pop allocate nothing beyond what the store does.
// Completions are posted to the handler's associated executor (a coroutine's own), which is kept busy meanwhile, never
// run inside a call or under the mutex. Try first, await second: suspending costs ten times as much.
//
// Cancellation (any type, by the handler's slot; emitted on the handler's executor, as Asio demands) either wins and
// completes with `cancelled`, nothing moved, or comes too late and changes nothing.
//
// Lifetime: no call may run while the destructor does, but operations may be suspended: destruction closes, destroys
// the items left in the store, and the suspended operations complete by post afterwards. The execution contexts of
// suspended operations must outlive the channel. A context that is destroyed with a posted completion inside destroys
// its item too.

#include <boost/asio/async_result.hpp>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "service/pipeline/channel_core.hpp"
#include "service/pipeline/fifo.hpp"
#include "service/pipeline/suspended.hpp"

namespace headrace::pipeline {

/// What a channel keeps its items in. Not thread-safe; called under the channel's mutex. push() needs room and pop() an
/// item. Empty, it has room for any item, or that item's sender and all behind it would wait for ever.
template <class Store, class T>
concept ChannelStore = requires(Store& store, const Store& view, T& item) {
  { view.size() } -> std::convertible_to<std::size_t>;
  { view.empty() } -> std::convertible_to<bool>;
  { view.has_room(std::as_const(item)) } -> std::convertible_to<bool>;
  store.push(std::move(item));
  { store.pop() } -> std::convertible_to<T>;
};

template <class T, class Store = Fifo<T>>
class Channel {
  static_assert(std::is_nothrow_move_constructible_v<T>, "an item must not be lost while it moves");
  static_assert(ChannelStore<Store, T>);
  using Core = ChannelCore<T, Store>;

 public:
  explicit Channel(std::size_t capacity)
    requires std::constructible_from<Store, std::size_t>
      : core_(std::make_shared<Core>(capacity)) {}
  /// For a store that is made from something else than its capacity.
  template <class Options>
    requires(std::constructible_from<Store, const Options&> && !std::is_arithmetic_v<Options>)
  explicit Channel(const Options& options) : core_(std::make_shared<Core>(options)) {}
  ~Channel() { core_->shut_down(); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// ok, full or closed. `item` is moved from only when ok.
  PushStatus try_push(T& item) { return core_->try_push(item); }

  /// Waits for room. Completes with void(PushStatus, std::optional<T>): ok, or closed or cancelled and the item comes
  /// back.
  template <class Token>
  auto async_push(T item, Token&& token) {
    return boost::asio::async_initiate<Token, void(PushStatus, std::optional<T>)>(
        [core = core_](auto&& handler, T moved) {
          core->push(suspend<typename Core::Sender>(core, std::forward<decltype(handler)>(handler), std::move(moved)));
        },
        token, std::move(item));
  }

  /// The next item by the store's order, if there is one; also after close.
  std::optional<T> try_pop() { return core_->try_pop(); }

  /// Waits for an item. Completes with void(PopStatus, std::optional<T>): ok and an item, closed (and drained),
  /// cancelled.
  template <class Token>
  auto async_pop(Token&& token) {
    return boost::asio::async_initiate<Token, void(PopStatus, std::optional<T>)>(
        [core = core_](auto&& handler) {
          core->pop(suspend<typename Core::Receiver>(core, std::forward<decltype(handler)>(handler)));
        },
        token);
  }

  /// Waits until there is an item, and takes none. Completes with void(PopStatus): ok (the store was not empty on the
  /// handler's executor just before the completion), closed (and drained), cancelled. When others took all that there
  /// was before, it goes on waiting. Waiting receivers are served first.
  template <class Token>
  auto async_wait_ready(Token&& token) {
    return boost::asio::async_initiate<Token, void(PopStatus)>(
        [core = core_](auto&& handler) {
          core->wait_ready(suspend<typename Core::Watcher>(core, std::forward<decltype(handler)>(handler), core));
        },
        token);
  }

  /// Runs f(Store&) under the mutex and returns what it returns; then lets waiting senders into the room that was made
  /// and hands what remains to waiting receivers. For taking many at once, and for looking. `f` must not call the
  /// channel, and should hand out items rather than destroy them there.
  template <class F>
  decltype(auto) with_store(F&& f) {
    return core_->with_store(std::forward<F>(f));
  }

  /// From now on pushes are refused; see above. Any number of times.
  void close() { core_->close(); }

  bool closed() const { return core_->closed(); }
  /// Items in the store; those of waiting senders do not count.
  std::size_t size() const { return core_->size(); }

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace headrace::pipeline
