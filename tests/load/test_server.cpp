#include "tests/load/test_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <cstring>
#include <optional>
#include <vector>

#include "load/clock.hpp"
#include "proto/documents.hpp"
#include "proto/infer_request.hpp"
#include "proto/infer_response.hpp"
#include "proto/limits.hpp"

namespace headrace::load::testing {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

std::optional<std::size_t> header_number(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return std::nullopt;
  return std::stoul(head.substr(at + name.size() + 4));
}

std::string with_head(unsigned status, const std::string& fields, const std::string& body) {
  return fmt::format("HTTP/1.1 {} Text\r\n{}Content-Length: {}\r\n\r\n", status, fields, body.size()) + body;
}

std::string in_chunks(const std::string& fields, const std::string& body) {
  std::string text = "HTTP/1.1 200 OK\r\n" + fields + "Transfer-Encoding: chunked\r\n\r\n";
  constexpr std::size_t chunk_bytes = 37;
  for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
    const std::string piece = body.substr(at, chunk_bytes);
    text += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  return text + "0\r\n\r\n";
}

proto::ModelDescription model() {
  proto::ModelDescription model;
  model.name = "double";
  model.inputs = {{"x", proto::Datatype::fp32, {TestServer::row_elements}}};
  model.outputs = {{"y", proto::Datatype::fp32, {TestServer::row_elements}}};
  model.max_batch_size = TestServer::max_batch_size;
  return model;
}

bool send(asio::ip::tcp::socket& socket, const std::string& text) {
  error_code error;
  asio::write(socket, asio::buffer(text), error);
  return !error;
}

void wait_for_the_client_to_leave(asio::ip::tcp::socket& socket) {
  error_code error;
  char byte = 0;
  while (!error) socket.read_some(asio::buffer(&byte, 1), error);
}

}  // namespace

TestServer::TestServer(Program program)
    : program_(std::move(program)), acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
  port_ = acceptor_.local_endpoint().port();
  acceptor_thread_ = std::jthread([this] { accept_all(); });
}

void TestServer::stop_listening() noexcept { ::shutdown(acceptor_.native_handle(), SHUT_RDWR); }

TestServer::~TestServer() {
  stop_listening();  // and wakes the blocking accept
  acceptor_thread_.join();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Socket& socket : sockets_) ::shutdown(socket.native_handle(), SHUT_RDWR);
  }
  stopping_changed_.notify_all();
  sessions_.clear();
}

void TestServer::accept_all() {
  for (;;) {
    error_code error;
    Socket socket(context_);
    acceptor_.accept(socket, error);
    if (error) return;
    socket.set_option(asio::ip::tcp::no_delay(true), error);
    ++connections_;
    const std::lock_guard lock(mutex_);
    Socket& kept = sockets_.emplace_back(std::move(socket));
    sessions_.emplace_back([this, &kept] {
      serve(kept);
      ::shutdown(kept.native_handle(), SHUT_RDWR);  // closed when the server goes, so that nobody else gets its number
    });
  }
}

void TestServer::serve(Socket& socket) {
  std::string received;
  for (;;) {
    error_code error;
    const std::size_t head_bytes = asio::read_until(socket, asio::dynamic_buffer(received), "\r\n\r\n", error);
    if (error) return;
    const std::string head = received.substr(0, head_bytes);
    const std::size_t body_bytes = header_number(head, "Content-Length").value_or(0);
    const std::size_t wanted = head_bytes + body_bytes;
    if (received.size() < wanted) {
      asio::read(socket, asio::dynamic_buffer(received), asio::transfer_exactly(wanted - received.size()), error);
      if (error) return;
    }
    std::string body = received.substr(head_bytes, body_bytes);
    received.erase(0, wanted);
    bool goes_on = true;
    if (head.starts_with("GET /v2/models/double HTTP")) {
      goes_on = send(socket, with_head(200, "", proto::model_metadata_document(model())));
    } else if (head.starts_with("GET /v2/models/double/config HTTP")) {
      goes_on = send(socket, with_head(200, "", proto::model_config_document(model())));
    } else if (head.starts_with("POST /v2/models/double/infer HTTP")) {
      goes_on = answer_infer(socket, head, std::move(body));
    } else {
      goes_on = send(socket, with_head(404, "", proto::error_document("not here")));
    }
    if (!goes_on) return;
  }
}

Histogram TestServer::recorded() {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

bool TestServer::answer_infer(Socket& socket, const std::string& head, std::string body) {
  const TimePoint here = Clock::now();
  const Act act = program_(requests_++);
  if (act.delay.count() != 0) {
    std::unique_lock lock(mutex_);
    stopping_changed_.wait_for(lock, act.delay, [this] { return stopping_; });
  }
  const std::size_t bytes = body.size();
  body.append(proto::body_padding_bytes, '\0');
  proto::InferRequestParser parser;
  proto::InferRequest request;
  const auto parsed = parser.parse(std::as_bytes(std::span(body)).first(bytes),
                                   header_number(head, "Inference-Header-Content-Length"), request);
  if (!parsed) return send(socket, with_head(400, "", proto::error_document(parsed.error().message)));

  const proto::InputTensor& input = request.inputs.at(0);
  std::vector<float> values(static_cast<std::size_t>(*input.shape.elements()));
  if (input.binary) {
    std::memcpy(values.data(), input.bytes.data(), input.bytes.size());
  } else if (const auto decoded = proto::decode_json_data(input, std::as_writable_bytes(std::span(values))); !decoded) {
    return send(socket, with_head(400, "", proto::error_document(decoded.error().message)));
  }
  for (float& value : values) value *= 2;
  if (act.kind == Act::Kind::wrong_values) values.back() += 1;
  const proto::OutputTensor outputs[] = {
      {"y", proto::Datatype::fp32, input.shape, std::as_bytes(std::span(values)), request.binary_data_output}};
  const std::string_view id = act.kind == Act::Kind::wrong_id ? "somebody else's" : std::string_view(request.id);
  std::string json;
  static_cast<void>(proto::encode_infer_response({id, "double", "1", outputs}, json));
  std::string blobs;
  if (request.binary_data_output) {
    blobs.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  {
    const std::lock_guard lock(mutex_);
    recorded_.record(nanoseconds(Clock::now() - here));
  }
  return perform(socket, act, json, blobs);
}

bool TestServer::perform(Socket& socket, const Act& act, const std::string& json, const std::string& blobs) {
  const std::string fields =
      blobs.empty() ? std::string() : fmt::format("Inference-Header-Content-Length: {}\r\n", json.size());
  const std::string whole = with_head(200, fields, json + blobs);
  switch (act.kind) {
    case Act::Kind::answer:
    case Act::Kind::wrong_id:
    case Act::Kind::wrong_values: return send(socket, whole);
    case Act::Kind::chunked: return send(socket, in_chunks(fields, json + blobs));
    case Act::Kind::then_close:
      send(socket, with_head(200, fields + "Connection: close\r\n", json + blobs));
      return false;
    case Act::Kind::status: return send(socket, with_head(act.status, "", proto::error_document("as programmed")));
    case Act::Kind::garbage: send(socket, "SSH-2.0-OpenSSH_9.2\r\n"); return false;
    case Act::Kind::half: send(socket, whole.substr(0, whole.size() - 5)); return false;
    case Act::Kind::no_document: return send(socket, with_head(200, "", "{\"ok\":true}"));
    case Act::Kind::close: return false;
    case Act::Kind::never: wait_for_the_client_to_leave(socket); return false;
  }
  return false;
}

}  // namespace headrace::load::testing
