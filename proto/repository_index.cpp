#include "proto/repository_index.hpp"

#include <simdjson.h>

#include "proto/json_scan.hpp"
#include "proto/limits.hpp"
#include "proto/message.hpp"

namespace headrace::proto {

Result<bool> parse_repository_index(std::string_view body) {
  if (body.size() > repository_index_body_bytes_max) {
    return fail(ErrorCode::payload_too_large,
                concat({"body: expected at most ", Decimal(repository_index_body_bytes_max).view(), " bytes, got ",
                        Decimal(body.size()).view()}));
  }
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return false;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const bool shallow = check_json(body).fault == JsonCheck::Fault::none;
  if (!shallow || parser.parse(body.data(), body.size()).get_object().get(object) != simdjson::SUCCESS) {
    return invalid("body: expected an empty body or a JSON object such as {\"ready\":true}");
  }
  simdjson::dom::element ready;
  if (object["ready"].get(ready) == simdjson::NO_SUCH_FIELD) return false;
  bool only_ready = false;
  if (ready.get_bool().get(only_ready) != simdjson::SUCCESS) return invalid("ready: expected true or false");
  return only_ready;
}

}  // namespace headrace::proto
