#pragma once
// What happens before the clock starts: find the server, read a document. Blocking, each call within `timeout`.

#include <string>
#include <string_view>

#include "load/clock.hpp"
#include "load/connection.hpp"
#include "load/result.hpp"
#include "load/target.hpp"

namespace headrace::load {

/// The first of the host's addresses that accepts a connection.
Result<Endpoint> find_server(const Target& target, Duration timeout);

struct Document {
  unsigned status = 0;
  std::string body;
};

/// GET http://<authority><path>.
Result<Document> fetch(const Endpoint& server, const Target& target, std::string_view path, Duration timeout);

}  // namespace headrace::load
