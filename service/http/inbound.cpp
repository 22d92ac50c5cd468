#include "service/http/inbound.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace headrace::http {

void Inbound::consume(std::size_t bytes) noexcept {
  begin_ += bytes;
  if (begin_ == end_ && !reading_) begin_ = end_ = 0;
}

void Inbound::make_room(std::size_t bytes_max) {
  if (reading_) return;  // the running read writes behind end_
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size() && buffer_.size() < bytes_max) buffer_.resize(std::min(buffer_.size() * 2, bytes_max));
}

void Inbound::arm(std::shared_ptr<void> owner) {
  if (reading_ || error_) return;
  make_room(buffer_.size());
  if (end_ == buffer_.size()) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                          [this, keep = std::move(owner)](const boost::system::error_code& error, std::size_t bytes) {
                            on_read(error, bytes);
                          });
}

void Inbound::on_read(const boost::system::error_code& error, std::size_t bytes) {
  reading_ = false;
  end_ += bytes;
  const bool interrupted = error == asio::error::operation_aborted;
  if (error && !interrupted) error_ = error;
  if (error_ && on_end) std::exchange(on_end, nullptr)();  // it may set another, or end the connection
  waiter_.fire();
}

}  // namespace headrace::http
