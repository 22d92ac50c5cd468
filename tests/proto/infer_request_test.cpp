#include "proto/infer_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proto/body.hpp"

namespace headrace::proto {
namespace {

using test::Body;
using test::bytes_of;
using test::Parsed;
using test::text_of;
using testing::HasSubstr;

TEST(InferRequest, json_request_as_curl_sends_it) {
  const Parsed parsed(R"( {"id":"42","inputs":[{"name":"image","datatype":"FP32","shape":[1,2],"data":[0.5, 1]}]} )",
                      {}, false);
  ASSERT_TRUE(parsed.result) << parsed.message();
  const auto& request = parsed.request;
  EXPECT_EQ(request.id, "42");
  ASSERT_EQ(request.inputs.size(), 1U);
  EXPECT_EQ(request.inputs[0].name, "image");
  EXPECT_EQ(request.inputs[0].datatype, Datatype::fp32);
  EXPECT_EQ(request.inputs[0].shape, (Shape{1, 2}));
  EXPECT_FALSE(request.inputs[0].binary);
  EXPECT_EQ(request.inputs[0].json, "[0.5, 1]");
  EXPECT_TRUE(request.outputs.empty());
  EXPECT_FALSE(request.binary_data_output);
}

TEST(InferRequest, binary_request_as_clients_send_it) {
  const auto blob = bytes_of<float>({1.5F, -2.0F});
  const Parsed parsed(
      R"({"id":"","inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":8}}],)"
      R"("outputs":[{"name":"y","parameters":{"binary_data":true}},{"name":"z"}],)"
      R"("parameters":{"timeout":1000,"priority":2,"binary_data_output":true,"custom":"ok","half":0.5}})",
      blob);
  ASSERT_TRUE(parsed.result) << parsed.message();
  const auto& request = parsed.request;
  EXPECT_TRUE(request.id.empty());
  EXPECT_TRUE(request.inputs[0].binary);
  EXPECT_EQ(text_of(request.inputs[0].bytes), blob);
  EXPECT_TRUE(request.inputs[0].json.empty());
  ASSERT_EQ(request.outputs.size(), 2U);
  EXPECT_EQ(request.outputs[0].binary, true);
  EXPECT_EQ(request.outputs[1].binary, std::nullopt);
  EXPECT_TRUE(request.binary_data_output);
  EXPECT_EQ(request.timeout_us, 1000U);
  EXPECT_EQ(request.priority, 2U);
}

TEST(InferRequest, views_point_into_the_body) {
  const Parsed parsed(R"({"inputs":[{"name":"x","datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":2}},)"
                      R"({"name":"w","datatype":"UINT8","shape":[1],"data":[7]}]})",
                      "ab");
  ASSERT_TRUE(parsed.result) << parsed.message();
  const auto body = parsed.body.bytes();
  EXPECT_EQ(parsed.request.inputs[0].bytes.data(), body.data() + body.size() - 2);
  const auto json = std::as_bytes(std::span(parsed.request.inputs[1].json));
  EXPECT_TRUE(json.data() > body.data() && json.data() < body.data() + body.size());
}

TEST(InferRequest, keys_in_any_order_escaped_and_with_unknown_ones_between) {
  const Parsed parsed(
      R"({"model_name":"m","x":{"a":[1,{"b":null}],"c":"\u00e9"},"outputs":[{"q":[],"parameters":{"z":1},"name":"y"}],)"
      R"("in\u0070uts":[{"parameters":{"other":[1]},"data":[[3]],"extra":-1.5e3,"shape":[1,1],)"
      R"("datatype":"INT32","n\u0061me":"x"}],"flag":true})");
  ASSERT_TRUE(parsed.result) << parsed.message();
  EXPECT_EQ(parsed.request.inputs[0].name, "x");
  EXPECT_EQ(parsed.request.inputs[0].json, "[[3]]");
  EXPECT_EQ(parsed.request.outputs[0].name, "y");
}

TEST(InferRequest, id_keeps_its_exact_bytes) {
  const std::string long_id(10'000, 'i');
  struct Case {
    std::string json, id;
  };
  for (const auto& [json, id] : {Case{R"("")", ""}, Case{R"("\u00e9\ud83d\ude00")", "\u00e9\U0001F600"},
                                 Case{"\"\u00e9 \\\" \\\\ \\/ \\n\"", "\u00e9 \" \\ / \n"},
                                 Case{R"("a\u0000b")", std::string("a\0b", 3)}, Case{"\"" + long_id + "\"", long_id}}) {
    const Parsed parsed(R"({"inputs":[],"id":)" + json + "}");
    ASSERT_TRUE(parsed.result) << parsed.message();
    EXPECT_EQ(parsed.request.id, id);
  }
}

TEST(InferRequest, blobs_follow_the_order_of_the_inputs_mixed_with_json) {
  const Parsed parsed(R"({"inputs":[{"name":"b","datatype":"UINT8","shape":[3],"parameters":{"binary_data_size":3}},)"
                      R"({"name":"j","datatype":"UINT8","shape":[1],"data":[1]},)"
                      R"({"name":"a","datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":2}}]})",
                      "bbbaa");
  ASSERT_TRUE(parsed.result) << parsed.message();
  EXPECT_EQ(text_of(parsed.request.inputs[0].bytes), "bbb");
  EXPECT_FALSE(parsed.request.inputs[1].binary);
  EXPECT_EQ(text_of(parsed.request.inputs[2].bytes), "aa");
  EXPECT_EQ(parsed.request.inputs[2].index, 2U);
}

TEST(InferRequest, requested_outputs_keep_their_order_and_classification) {
  const Parsed parsed(R"({"inputs":[],"outputs":[{"name":"z","parameters":{"classification":3,"binary_data":false}},)"
                      R"({"name":"a","parameters":{"classification":0}}]})");
  ASSERT_TRUE(parsed.result) << parsed.message();
  EXPECT_EQ(parsed.request.outputs[0].name, "z");
  EXPECT_EQ(parsed.request.outputs[0].classification, 3U);
  EXPECT_EQ(parsed.request.outputs[0].binary, false);
  EXPECT_EQ(parsed.request.outputs[1].classification, std::nullopt);
}

TEST(InferRequest, json_length_absent_whole_too_small_too_big) {
  const std::string head = R"({"inputs":[]})";
  InferRequest request;
  InferRequestParser parser;
  const Body body(head);
  EXPECT_TRUE(parser.parse(body.bytes(), std::nullopt, request));
  EXPECT_TRUE(parser.parse(body.bytes(), head.size(), request));
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, head.size() - 1, head.size() + 1, SIZE_MAX}) {
    const auto result = parser.parse(body.bytes(), length, request);
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  }
}

TEST(InferRequest, json_length_header) {
  EXPECT_EQ(parse_json_length("0", 10).value(), 0U);
  EXPECT_EQ(parse_json_length("10", 10).value(), 10U);
  EXPECT_EQ(parse_json_length("007", 10).value(), 7U);
  for (const auto* value : {"", "11", "-1", "+1", "1.0", "0x1", " 1", "1 ", "ten", "99999999999999999999999999"}) {
    const auto length = parse_json_length(value, 10);
    ASSERT_FALSE(length) << value;
    EXPECT_EQ(length.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(length.error().message, HasSubstr("at most 10"));
  }
}

TEST(InferRequest, a_parser_and_a_request_are_used_again) {
  InferRequest request;
  InferRequestParser parser;
  const Body first(
      R"({"id":"a","inputs":[{"name":"x","datatype":"BOOL","shape":[1],"data":[true]}],"outputs":[{"name":"y"}],)"
      R"("parameters":{"binary_data_output":true,"priority":1,"timeout":5}})");
  const Body broken(R"({"inputs":[)");
  const Body last(R"({"inputs":[]})");
  EXPECT_TRUE(parser.parse(first.bytes(), std::nullopt, request));
  EXPECT_FALSE(parser.parse(broken.bytes(), std::nullopt, request));
  EXPECT_TRUE(parser.parse(last.bytes(), std::nullopt, request));
  EXPECT_TRUE(request.id.empty() && request.inputs.empty() && request.outputs.empty());
  EXPECT_FALSE(request.binary_data_output);
  EXPECT_EQ(request.timeout_us + request.priority, 0U);
}

struct Refusal {
  std::string head;
  std::string message;  // a part of it
};

std::string with_input(std::string_view input) { return std::string(R"({"inputs":[)").append(input).append("]}"); }

TEST(InferRequest, refusals_name_the_field_what_was_expected_and_what_came) {
  const std::string input = R"({"name":"x","datatype":"UINT8","shape":[1],"data":[1]})";
  std::string many;
  for (int i = 0; i < 10'000; ++i) {
    many += std::string(i == 0 ? "" : ",") + R"({"name":"n)" + std::to_string(i) +
            R"(","datatype":"UINT8","shape":[1],"data":[1]})";
  }
  std::string many_outputs;
  for (int i = 0; i < 65; ++i)
    many_outputs += std::string(i == 0 ? "" : ",") + R"({"name":"n)" + std::to_string(i) + R"("})";
  const std::vector<Refusal> refusals{
      {"[]", "body: expected a JSON object"},
      {"nothing", "body:"},
      {"{}", "inputs: expected, but missing"},
      {R"({"id":1,"inputs":[]})", "id: expected a string, got 1"},
      {R"({"id":null,"inputs":[]})", "id: expected a string, got null"},
      {R"({"id":"a","id":"b","inputs":[]})", "id: expected once"},
      {R"({"inputs":{}})", "inputs: expected an array, got an object"},
      {R"({"inputs":[1]})", "inputs[0]: expected an object, got 1"},
      {R"({"inputs":[],"outputs":"y"})", "outputs: expected an array, got \"y\""},
      {R"({"inputs":[],"outputs":[{"name":"y"},{"name":"y"}]})",
       "outputs[1].name: expected a name of its own, got 'y'"},
      {R"({"inputs":[],"outputs":[{}]})", "outputs[0].name: expected, but missing"},
      {R"({"inputs":[],"outputs":[{"name":"y","parameters":{"binary_data":"true"}}]})",
       "outputs[0].parameters.binary_data: expected true or false, got \"true\""},
      {R"({"inputs":[],"outputs":[{"name":"y","parameters":{"classification":-1}}]})",
       "outputs[0].parameters.classification: expected an integer"},
      {R"({"inputs":[],"outputs":[{"name":"y","parameters":{"classification":4294967296}}]})",
       "4294967295, got 4294967296"},
      {R"({"inputs":[],"outputs":[{"name":"y","parameters":{"shared_memory_region":"r"}}]})",
       "shared memory is not supported"},
      {R"({"inputs":[],"outputs":[)" + many_outputs + "]}", "outputs: expected at most 64, got more"},
      {R"({"inputs":[],"parameters":[]})", "parameters: expected an object, got an array"},
      {R"({"inputs":[],"parameters":{"binary_data_output":1}})",
       "parameters.binary_data_output: expected true or false, got 1"},
      {R"({"inputs":[],"parameters":{"timeout":-5}})",
       "parameters.timeout: expected an integer from 0 to 18446744073709551615, got -5"},
      {R"({"inputs":[],"parameters":{"timeout":1.5}})", "parameters.timeout: expected an integer"},
      {R"({"inputs":[],"parameters":{"priority":"1"}})", "parameters.priority: expected an integer"},
      {R"({"inputs":[],"parameters":{"sequence_id":1}})", "sequences are not supported"},
      {R"({"inputs":[],"parameters":{"triton_x":1}})", "reserved"},
      {R"({"inputs":[],"parameters":{"custom":[1]}})",
       "parameters.custom: expected a string, a number or a boolean, got an array"},
      {R"({"inputs":[],"parameters":{"custom":null}})", "got null"},
      {with_input(input + "," + input), "inputs[1].name: expected a name of its own, got 'x'"},
      {with_input(many), "inputs: expected at most 64, got more"},
      {with_input(R"({"datatype":"UINT8","shape":[1],"data":[1]})"), "inputs[0].name: expected, but missing"},
      {with_input(R"({"name":"x","shape":[1],"data":[1]})"), "inputs[0].datatype ('x'): expected, but missing"},
      {with_input(R"({"name":"x","datatype":"UINT8","data":[1]})"), "inputs[0].shape ('x'): expected, but missing"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1]})"),
       "inputs[0] ('x'): expected either data or parameters.binary_data_size, got neither"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"data":[1],"parameters":{"binary_data_size":1}})"),
       "got both"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"data":[1],"data":[2]})"),
       "inputs[0].data ('x'): expected once"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"parameters":{"shared_memory_region":"r"}})"),
       "inputs[0].parameters.shared_memory_region ('x'): shared memory is not supported"},
      {with_input(R"({"name":5,"datatype":"UINT8","shape":[1],"data":[1]})"),
       "inputs[0].name: expected a string, got 5"},
      {with_input(R"({"name":"x","datatype":"FP8","shape":[1],"data":[1]})"),
       "inputs[0].datatype ('x'): expected one of BOOL UINT8"},
      {with_input(R"({"name":"x","datatype":"FP8","shape":[1],"data":[1]})"), "got 'FP8'"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":1,"data":[1]})"),
       "inputs[0].shape ('x'): expected an array, got 1"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[-1],"data":[1]})"),
       "inputs[0].shape ('x'): expected an integer from 0 to 9223372036854775807, got -1"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1.0],"data":[1]})"),
       "inputs[0].shape ('x'): expected an integer"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":["1"],"data":[1]})"),
       "inputs[0].shape ('x'): expected an integer"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[9223372036854775808],"data":[1]})"),
       "inputs[0].shape ('x'): expected an integer"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[4294967296,4294967296],"data":[1]})"),
       "inputs[0].shape ('x'): expected at most 2^63-1 elements, got [4294967296,4294967296]"},
      {with_input(R"({"name":"x","datatype":"FP64","shape":[4611686018427387904],"data":[1]})"),
       "inputs[0].shape ('x'): expected a size that fits 64 bits"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data":[1]})"),
       "expected at most 16 dimensions"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"data":1})"),
       "inputs[0].data ('x'): expected an array, got 1"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"parameters":{"binary_data_size":"1"}})"),
       "inputs[0].parameters.binary_data_size ('x'): expected an integer"},
      {with_input(R"({"name":"x","datatype":"UINT8","shape":[1],"parameters":{"binary_data_size":-1}})"), "got -1"},
  };
  for (const auto& refusal : refusals) {
    const Parsed parsed(refusal.head);
    ASSERT_FALSE(parsed.result) << refusal.head;
    EXPECT_EQ(parsed.result.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.message(), HasSubstr(refusal.message)) << refusal.head.substr(0, 300);
    EXPECT_LT(parsed.message().size(), 400U);
  }
}

TEST(InferRequest, what_is_not_json_is_refused_where_it_stands) {
  const std::string good = R"({"inputs":[]})";
  const std::vector<Refusal> refusals{
      {good + "x", "body: malformed JSON at byte 13: got x"},
      {good + good, "body: malformed JSON at byte 13"},
      {good + "}", "body: malformed JSON at byte 13"},
      {good + std::string(1, '\0'), "body: malformed JSON at byte 13"},
      {R"({"inputs":[],})", "body: malformed JSON at byte 13"},
      {R"({"inputs":[],"x":tru})", "body: malformed JSON at byte 17: got tru"},
      {R"({"inputs":[],"x":[1,2}})", "body: malformed JSON at byte 21"},
      {R"({"inputs":[],"x":{"a":01}})", "body: malformed JSON"},
      {R"({"inputs":[],"x":"\q"})", "body: malformed JSON"},
      {R"({"inputs":[] "x":1})", "body: malformed JSON at byte 13"},
      {R"({"inputs":[],"x":"a":1})", "body: malformed JSON at byte 20"},
      {R"({"inputs":[],"x":1:2})", "body: malformed JSON at byte 18"},
      {R"({"inputs":[],'x':1})", "body: malformed JSON"},
      {R"({"inputs":[,]})", "inputs[0]: expected an object"},
      {R"({"inputs")", "got the end"},
      {"{\"inputs\":[],\"id\":\"\xff\"}", "body: expected strings of valid Unicode"},
      {R"({"inputs":[],"id":"\ud800"})", "body: expected strings of valid Unicode"},
      {"   ", "body: malformed JSON at byte 3: got the end"},
  };
  for (const auto& refusal : refusals) {
    const Parsed parsed(refusal.head);
    ASSERT_FALSE(parsed.result) << refusal.head;
    EXPECT_EQ(parsed.result.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.message(), HasSubstr(refusal.message)) << refusal.head;
  }
}

TEST(InferRequest, long_client_text_is_cut) {
  const std::string text(100'000, 'q');
  for (const auto& head : {with_input(R"({"name":")" + text + R"(","datatype":"UINT8","shape":[1]})"),
                           with_input(R"({"name":"x","datatype":")" + text + R"("})"), R"({"id":)" + text + "}",
                           R"({"inputs":[],"parameters":{"triton_)" + text + R"(":1}})",
                           R"({"inputs":[],"parameters":{"sequence_)" + text + R"(":1}})",
                           with_input(R"({"name":"x","parameters":{"shared_memory_)" + text + R"(":1}})")}) {
    const Parsed parsed(head);
    ASSERT_FALSE(parsed.result);
    EXPECT_LT(parsed.message().size(), 300U) << parsed.message();
  }
}

}  // namespace
}  // namespace headrace::proto
