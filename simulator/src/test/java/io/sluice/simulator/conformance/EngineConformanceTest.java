package io.sluice.simulator.conformance;

import static io.sluice.simulator.conformance.Target.frames;
import static io.sluice.simulator.conformance.Target.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules that a vLLM server keeps, one test each, named by the section of the contract.
 *
 * <p>By default a simulated engine is examined; {@code -Dengine.url=http://host:8000
 * -Dengine.model=name} examines a real server instead. Rules that only the simulator's
 * deterministic text can show are skipped there.
 */
@ExtendWith(RuleReport.class)
class EngineConformanceTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String ONE_TOOL =
      "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}}}]";

  private static Target target;

  @BeforeAll
  static void open() throws Exception {
    target = Target.open();
  }

  @AfterAll
  static void close() {
    target.close();
  }

  static String subject() {
    return System.getProperty("engine.url", "the simulator");
  }

  // ---- 1.1 server

  @Test
  @DisplayName("1.1 unknown path: 404 with detail")
  void unknownPath() throws Exception {
    HttpResponse<String> answer = target.get("/nowhere");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).isEqualTo("{\"detail\":\"Not Found\"}");
  }

  @Test
  @DisplayName("1.1 wrong method: 405 with detail")
  void wrongMethod() throws Exception {
    HttpResponse<String> answer = target.get(CHAT);
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.body()).isEqualTo("{\"detail\":\"Method Not Allowed\"}");
  }

  @Test
  @DisplayName("1.1 unknown fields are ignored")
  void unknownFields() throws Exception {
    assertThat(target.chat("\"max_tokens\":1,\"best_of\":3,\"colour\":\"red\"").statusCode())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("1.1 an idle connection is closed after 5 s")
  void idleClose() throws Exception {
    try (Socket socket = target.connect()) {
      long start = System.nanoTime();
      socket
          .getOutputStream()
          .write("GET /health HTTP/1.1\r\nhost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Target.readUntil(socket, "\r\n\r\n");

      assertThat(socket.getInputStream().read()).isEqualTo(-1);

      // The time-out of the socket is what bounds it above.
      assertThat((System.nanoTime() - start) / 1e9).isGreaterThan(4.9);
    }
  }

  @Test
  @DisplayName("1.1 a connection serves several requests")
  void keepAlive() throws Exception {
    try (Socket socket = target.connect()) {
      for (int i = 0; i < 2; i++) {
        socket
            .getOutputStream()
            .write("GET /version HTTP/1.1\r\nhost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(Target.readUntil(socket, "}")).startsWith("HTTP/1.1 200 OK\r\n");
      }
    }
  }

  // ---- 1.2, 1.6 small endpoints

  @Test
  @DisplayName("1.2 /health and /ping: 200 and empty")
  void health() throws Exception {
    for (String path : List.of("/health", "/ping")) {
      assertThat(target.get(path).statusCode()).isEqualTo(200);
      assertThat(target.get(path).body()).isEmpty();
    }
  }

  @Test
  @DisplayName("1.2 /version and /load have one key each")
  void versionAndLoad() throws Exception {
    assertThat(target.get("/version").body()).matches("\\{\"version\":\"[^\"]+\"}");
    assertThat(target.get("/load").body()).matches("\\{\"server_load\":\\d+}");
  }

  @Test
  @DisplayName("1.2 dev routes are 404 without dev mode")
  void noDevRoutes() throws Exception {
    assumeTrue(target.isSimulator(), "a real server may run in dev mode");
    assertThat(target.get("/is_sleeping").statusCode()).isEqualTo(404);
    assertThat(target.post("/v1/load_lora_adapter", "{}").statusCode()).isEqualTo(404);
  }

  @Test
  @DisplayName("1.6 /v1/models: cards with their keys in order")
  void models() throws Exception {
    String body = target.get("/v1/models").body();
    assertThat(body)
        .startsWith("{\"object\":\"list\",\"data\":[{\"id\":\"")
        .containsPattern(
            "\"object\":\"model\",\"created\":\\d+,\"owned_by\":\"vllm\",\"root\":\"[^\"]+\",\"parent\":null,\"max_model_len\":\\d+,\"permission\":\\[\\{\"id\":\"modelperm-[0-9a-f]+\",\"object\":\"model_permission\"");
  }

  @Test
  @DisplayName("1.6 an adapter's card has its parent and no context")
  void loraCards() throws Exception {
    assumeTrue(target.isSimulator(), "needs a known adapter");
    JsonNode card = json(target.get("/v1/models")).at("/data/1");
    assertThat(card.path("id").asText()).isEqualTo(Target.LORA);
    assertThat(card.path("parent").asText()).isEqualTo(target.model());
    assertThat(card.path("root").asText()).isEqualTo("/adapters/one");
    assertThat(card.path("max_model_len").isNull()).isTrue();
  }

  @Test
  @DisplayName("1.6 detokenize undoes tokenize")
  void tokenize() throws Exception {
    String text = "Straße, 東京 and 🙂 <b>";
    JsonNode tokens =
        json(
            target.post(
                "/tokenize",
                "{\"prompt\":%s,\"add_special_tokens\":false,\"return_token_strs\":true}"
                    .formatted(Target.JSON.writeValueAsString(text))));
    assertThat(tokens.path("count").asInt()).isEqualTo(tokens.path("tokens").size());
    assertThat(tokens.path("token_strs")).hasSameSizeAs(tokens.path("tokens"));
    assertThat(
            json(target.post("/detokenize", "{\"tokens\":" + tokens.get("tokens") + "}"))
                .path("prompt")
                .asText())
        .isEqualTo(text);
  }

  @Test
  @DisplayName("1.6 tokenising messages counts the template, as usage does")
  void tokenizeMessages() throws Exception {
    int count = json(target.post("/tokenize", target.chatBody(""))).path("count").asInt();
    int used = json(target.chat("\"max_tokens\":1")).at("/usage/prompt_tokens").asInt();
    assertThat(count).isEqualTo(used);
  }

  // ---- 1.3 headers

  @Test
  @DisplayName("1.3 X-Request-Id names the answer and is not echoed by default")
  void requestId() throws Exception {
    HttpResponse<String> answer =
        target.post(CHAT, target.chatBody("\"max_tokens\":1"), "X-Request-Id", "abc-1");
    assertThat(json(answer).path("id").asText()).isEqualTo("chatcmpl-abc-1");
    assertThat(answer.headers().firstValue("x-request-id")).isEmpty();
  }

  @Test
  @DisplayName("1.3 request_id in the body names the answer too")
  void bodyRequestId() throws Exception {
    JsonNode answer =
        json(target.completion("\"prompt\":\"a\",\"max_tokens\":1,\"request_id\":\"r7\""));
    assertThat(answer.path("id").asText()).isEqualTo("cmpl-r7");
  }

  // ---- 1.4 request fields

  @Test
  @DisplayName("1.4 model may be left out")
  void noModel() throws Exception {
    assertThat(
            json(target.post("/v1/completions", "{\"prompt\":\"a\",\"max_tokens\":1}"))
                .path("model")
                .asText())
        .isEqualTo(target.model());
  }

  @Test
  @DisplayName("1.4 completions default to 16 tokens")
  void sixteen() throws Exception {
    assertThat(
            json(target.completion("\"prompt\":\"Once upon a time\",\"ignore_eos\":true"))
                .at("/usage/completion_tokens")
                .asInt())
        .isEqualTo(16);
  }

  @Test
  @DisplayName("1.4 max_completion_tokens wins over max_tokens")
  void maxCompletionTokens() throws Exception {
    JsonNode answer =
        json(target.chat("\"max_tokens\":9,\"max_completion_tokens\":3,\"ignore_eos\":true"));
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(3);
    assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  @DisplayName("1.4 ignore_eos and max_tokens force exactly so many tokens")
  void ignoreEos() throws Exception {
    assertThat(
            json(target.chat("\"max_tokens\":400,\"ignore_eos\":true"))
                .at("/usage/completion_tokens")
                .asInt())
        .isEqualTo(400);
  }

  @Test
  @DisplayName("1.4 min_tokens holds back every stop")
  void minTokens() throws Exception {
    JsonNode answer =
        json(target.chat("\"max_tokens\":40,\"min_tokens\":30,\"stop\":[\"e\",\" \",\"a\"]"));
    assertThat(answer.at("/usage/completion_tokens").asInt()).isGreaterThanOrEqualTo(30);
  }

  @Test
  @DisplayName("1.4 a stop string ends the text in front of it, or behind it")
  void stopString() throws Exception {
    String field = "\"max_tokens\":200,\"temperature\":0,\"stop\":[\"e\"]";
    JsonNode before = json(target.chat(field));
    JsonNode behind = json(target.chat(field + ",\"include_stop_str_in_output\":true"));
    assertThat(before.at("/choices/0/message/content").asText()).doesNotContain("e");
    assertThat(before.at("/choices/0/stop_reason").asText()).isEqualTo("e");
    assertThat(before.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(behind.at("/choices/0/message/content").asText()).endsWith("e");
  }

  @Test
  @DisplayName("1.4 a stop token is the stop_reason")
  void stopToken() throws Exception {
    JsonNode whole =
        json(target.chat("\"max_tokens\":6,\"temperature\":0,\"return_token_ids\":true"));
    int third = whole.at("/choices/0/token_ids/2").asInt();
    JsonNode answer =
        json(target.chat("\"max_tokens\":6,\"temperature\":0,\"stop_token_ids\":[" + third + "]"));
    assertThat(answer.at("/choices/0/stop_reason").asInt()).isEqualTo(third);
    assertThat(answer.at("/usage/completion_tokens").asInt()).isLessThanOrEqualTo(3);
  }

  @Test
  @DisplayName("1.4 n choices with indices, and one usage")
  void choices() throws Exception {
    JsonNode answer = json(target.chat("\"n\":3,\"max_tokens\":5,\"ignore_eos\":true"));
    assertThat(
            StreamSupport.stream(answer.get("choices").spliterator(), false)
                .map(choice -> choice.get("index").asInt()))
        .containsExactly(0, 1, 2);
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(15);
  }

  @Test
  @DisplayName("1.4 chat echo repeats the last message only for its own role")
  void chatEcho() throws Exception {
    String start =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"Well then\"}],\"max_tokens\":2,\"echo\":true,\"add_generation_prompt\":%s}";
    assertThat(
            json(target.post(CHAT, start.formatted("false,\"continue_final_message\":true")))
                .at("/choices/0/message/content")
                .asText())
        .startsWith("Well then");
    assertThat(
            json(target.chat("\"echo\":true,\"max_tokens\":2"))
                .at("/choices/0/message/content")
                .asText())
        .doesNotContain("Say hello.");
  }

  @Test
  @DisplayName("1.4 completion echo puts the prompt in front; max_tokens 0 shows only it")
  void completionEcho() throws Exception {
    assertThat(
            json(target.completion("\"prompt\":\"One two\",\"max_tokens\":2,\"echo\":true"))
                .at("/choices/0/text")
                .asText())
        .startsWith("One two")
        .hasSizeGreaterThan(7);
    assertThat(
            json(target.completion("\"prompt\":\"One two\",\"max_tokens\":0,\"echo\":true"))
                .at("/choices/0/text")
                .asText())
        .isEqualTo("One two");
  }

  @Test
  @DisplayName("1.4 return_token_ids gives prompt and output ids, whole and streamed alike")
  void tokenIds() throws Exception {
    String fields = "\"max_tokens\":8,\"temperature\":0,\"return_token_ids\":true";
    JsonNode whole = json(target.chat(fields));
    List<String> frames = frames(target.chat(fields + ",\"stream\":true"));
    List<Integer> streamed = new ArrayList<>();
    for (String frame : frames) {
      Target.JSON
          .readTree(frame)
          .at("/choices/0/token_ids")
          .forEach(id -> streamed.add(id.asInt()));
    }
    assertThat(whole.get("prompt_token_ids").size())
        .isEqualTo(whole.at("/usage/prompt_tokens").asInt());
    assertThat(whole.at("/choices/0/token_ids").toString().replace(" ", ""))
        .isEqualTo(streamed.toString().replace(" ", ""));
    assertThat(frames.getFirst()).contains("\"prompt_token_ids\":[");
  }

  @Test
  @DisplayName("1.4 prompts of texts, of ids, and lists of them")
  void promptForms() throws Exception {
    for (String prompt : List.of("\"a\"", "[\"a\",\"b\"]", "[1,2,3]", "[[1,2],[3]]")) {
      JsonNode answer = json(target.completion("\"prompt\":" + prompt + ",\"max_tokens\":1"));
      assertThat(answer.get("choices").isEmpty()).isFalse();
    }
    assertThat(target.completion("\"prompt\":[\"a\",1],\"max_tokens\":1").statusCode())
        .isEqualTo(400);
  }

  @Test
  @DisplayName("1.4 chat logprobs: one entry per token, with bytes and alternatives")
  void chatLogprobs() throws Exception {
    JsonNode answer =
        json(
            target.chat(
                "\"max_tokens\":4,\"ignore_eos\":true,\"logprobs\":true,\"top_logprobs\":2"));
    JsonNode content = answer.at("/choices/0/logprobs/content");
    assertThat(content).hasSize(4);
    for (JsonNode token : content) {
      assertThat(token.get("logprob").asDouble()).isLessThanOrEqualTo(0);
      assertThat(token.get("top_logprobs")).hasSize(2);
      assertThat(token.get("bytes").isArray()).isTrue();
    }
  }

  @Test
  @DisplayName("1.4 completion logprobs: parallel lists and offsets")
  void completionLogprobs() throws Exception {
    JsonNode logprobs =
        json(target.completion(
                "\"prompt\":\"One two\",\"max_tokens\":3,\"ignore_eos\":true,\"logprobs\":1,\"echo\":true"))
            .at("/choices/0/logprobs");
    int tokens = logprobs.get("tokens").size();
    assertThat(tokens).isGreaterThan(3);
    assertThat(logprobs.get("token_logprobs")).hasSize(tokens);
    assertThat(logprobs.get("top_logprobs")).hasSize(tokens);
    assertThat(logprobs.get("token_logprobs").get(0).isNull()).isTrue();
    assertThat(logprobs.at("/text_offset/0").asInt()).isZero();
    assertThat(logprobs.at("/text_offset/1").asInt())
        .isEqualTo(logprobs.at("/tokens/0").asText().length());
  }

  @Test
  @DisplayName("1.4 return_tokens_as_token_ids names tokens by id")
  void idTokens() throws Exception {
    JsonNode answer =
        json(target.chat("\"max_tokens\":1,\"logprobs\":true,\"return_tokens_as_token_ids\":true"));
    assertThat(answer.at("/choices/0/logprobs/content/0/token").asText()).matches("token_id:\\d+");
  }

  @Test
  @DisplayName("1.4 prompt_logprobs: null first, then candidates by id")
  void promptLogprobs() throws Exception {
    JsonNode answer =
        json(
            target.completion(
                "\"prompt\":\"One two three\",\"max_tokens\":1,\"prompt_logprobs\":1"));
    JsonNode logprobs = answer.at("/choices/0/prompt_logprobs");
    assertThat(logprobs).hasSize(answer.at("/usage/prompt_tokens").asInt());
    assertThat(logprobs.get(0).isNull()).isTrue();
    assertThat(logprobs.get(1).elements().next().has("decoded_token")).isTrue();
  }

  // ---- 1.5 whole answers

  @Test
  @DisplayName("1.5 a whole chat answer has its keys in order, nulls included")
  void chatKeys() throws Exception {
    JsonNode answer = json(target.chat("\"max_tokens\":1"));
    assertThat(keys(answer))
        .startsWith("id", "object", "created", "model", "choices", "service_tier")
        .contains("system_fingerprint", "usage", "prompt_logprobs", "kv_transfer_params");
    assertThat(keys(answer.at("/choices/0")))
        .startsWith("index", "message", "logprobs", "finish_reason", "stop_reason", "token_ids");
    assertThat(keys(answer.get("usage")))
        .startsWith("prompt_tokens", "total_tokens", "completion_tokens");
  }

  @Test
  @DisplayName("1.5 the end-of-text token counts in usage")
  void endCounts() throws Exception {
    JsonNode answer =
        json(target.chat("\"temperature\":0,\"max_tokens\":1000,\"return_token_ids\":true"));
    assumeTrue(
        answer.at("/choices/0/finish_reason").asText().equals("stop"), "the answer did not end");
    assertThat(answer.at("/usage/completion_tokens").asInt())
        .isEqualTo(answer.at("/choices/0/token_ids").size());
  }

  // ---- 1.8 LoRA

  @Test
  @DisplayName("1.8 an adapter is asked for as a model and named in the answer")
  void lora() throws Exception {
    assumeTrue(target.isSimulator(), "needs a known adapter");
    JsonNode answer =
        json(
            target.post(
                "/v1/completions",
                "{\"model\":\"%s\",\"prompt\":\"a\",\"max_tokens\":1}".formatted(Target.LORA)));
    assertThat(answer.path("model").asText()).isEqualTo(Target.LORA);
  }

  // ---- 2 streams

  @Test
  @DisplayName("2.1 the head of a stream: content type, chunked, uvicorn, no cache-control")
  void streamHead() throws Exception {
    String raw = target.raw(CHAT, target.chatBody("\"max_tokens\":2,\"stream\":true"), "0\r\n\r\n");
    String head = raw.substring(0, raw.indexOf("\r\n\r\n")).toLowerCase(java.util.Locale.ROOT);
    assertThat(head)
        .startsWith("http/1.1 200 ok")
        .contains("content-type: text/event-stream; charset=utf-8")
        .contains("transfer-encoding: chunked")
        .contains("server: uvicorn")
        .doesNotContain("cache-control");
  }

  @Test
  @DisplayName("2.1 each event is one data line in one chunk, and [DONE] ends the stream")
  void framing() throws Exception {
    String raw = target.raw(CHAT, target.chatBody("\"max_tokens\":4,\"stream\":true"), "0\r\n\r\n");
    for (String chunk : raw.substring(raw.indexOf("\r\n\r\n") + 4).split("\r\n")) {
      assertThat(chunk).matches("(?s)[0-9a-f]+|data: [^\n]*\n\n|");
    }
    assertThat(raw).endsWith("data: [DONE]\n\n\r\n0\r\n\r\n");
  }

  @Test
  @DisplayName("2.2 the role frame is first and has its exact keys")
  void roleFrame() throws Exception {
    assertThat(frames(target.chat("\"max_tokens\":2,\"stream\":true")).getFirst())
        .matches(
            "\\{\"id\":\"chatcmpl-[0-9a-f]{16,32}\",\"object\":\"chat\\.completion\\.chunk\",\"created\":\\d+,\"model\":\"[^\"]+\",\"choices\":\\[\\{\"index\":0,\"delta\":\\{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":null(,\"prompt_text\":null)?}");
  }

  @Test
  @DisplayName("2.2 content frames have token_ids, the final one finish_reason and stop_reason")
  void contentFrames() throws Exception {
    List<String> frames =
        frames(target.chat("\"max_tokens\":200,\"ignore_eos\":true,\"stream\":true"));
    assertThat(frames.get(1))
        .contains("\"delta\":{\"content\":\"")
        .contains("\"finish_reason\":null,\"token_ids\":null}]");
    assertThat(frames.getLast())
        .contains("\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null}]");
  }

  @Test
  @DisplayName("2.2 the fingerprint is in the final frame, or in the usage frame if there is one")
  void fingerprintRule() throws Exception {
    List<String> bare = frames(target.chat("\"max_tokens\":2,\"stream\":true"));
    List<String> used =
        frames(
            target.chat(
                "\"max_tokens\":2,\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
    assertThat(bare.getLast()).contains("\"system_fingerprint\":\"vllm-");
    assertThat(used.getLast())
        .contains("\"choices\":[],\"usage\":{")
        .contains("system_fingerprint");
    assertThat(used.get(used.size() - 2)).doesNotContain("system_fingerprint");
  }

  @Test
  @DisplayName("2.2 id and created are the same in all frames")
  void constants() throws Exception {
    assertThat(
            frames(target.chat("\"max_tokens\":5,\"stream\":true")).stream()
                .map(frame -> frame.replaceAll("\"model\".*", "")))
        .hasSizeGreaterThan(1)
        .satisfies(heads -> assertThat(List.copyOf(new java.util.HashSet<>(heads))).hasSize(1));
  }

  @Test
  @DisplayName("2.2 continuous usage is in every frame and counts up from 0")
  void continuousUsage() throws Exception {
    List<String> frames =
        frames(
            target.chat(
                "\"max_tokens\":4,\"ignore_eos\":true,\"stream\":true,\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}"));
    List<Integer> counts = new ArrayList<>();
    for (String frame : frames) {
      counts.add(Target.JSON.readTree(frame).at("/usage/completion_tokens").asInt(-1));
    }
    assertThat(counts).isSorted().startsWith(0).endsWith(4).doesNotContain(-1);
  }

  @Test
  @DisplayName("2.2 n streams: all role frames first, one final frame per choice, one usage")
  void severalStreams() throws Exception {
    List<String> frames =
        frames(
            target.chat(
                "\"n\":2,\"max_tokens\":4,\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
    assertThat(frames.subList(0, 2)).allMatch(frame -> frame.contains("\"role\":\"assistant\""));
    assertThat(frames.stream().filter(frame -> frame.contains("\"stop_reason\""))).hasSize(2);
    assertThat(frames.stream().filter(frame -> frame.contains("\"choices\":[]"))).hasSize(1);
  }

  @Test
  @DisplayName("2.3 completion frames have no role and all keys in each")
  void completionFrames() throws Exception {
    assertThat(frames(target.completion("\"prompt\":\"a\",\"max_tokens\":3,\"stream\":true")))
        .allSatisfy(
            frame ->
                assertThat(frame)
                    .matches(
                        ".*\"choices\":\\[\\{\"index\":0,\"text\":\".*\",\"logprobs\":null,\"finish_reason\":(null|\"\\w+\"),\"stop_reason\":.*,\"prompt_token_ids\":null,\"token_ids\":null}].*"));
  }

  @Test
  @DisplayName("2.2 streamed text is the text of the whole answer")
  void sameText() throws Exception {
    String fields = "\"max_tokens\":60,\"temperature\":0,\"seed\":1";
    StringBuilder text = new StringBuilder();
    for (String frame : frames(target.chat(fields + ",\"stream\":true"))) {
      text.append(Target.JSON.readTree(frame).at("/choices/0/delta/content").asText(""));
    }
    assertThat(text.toString())
        .isEqualTo(json(target.chat(fields)).at("/choices/0/message/content").asText());
  }

  // ---- 2.4 tools and schemas

  @Test
  @DisplayName("2.4 tool_choice required: a call with valid arguments")
  void requiredTool() throws Exception {
    JsonNode choice =
        json(target.chat(ONE_TOOL + ",\"tool_choice\":\"required\",\"max_tokens\":200"))
            .at("/choices/0");
    assertThat(choice.at("/message/content").asText("")).isIn("", "null");
    assertThat(choice.at("/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
    assertThat(
            Target.JSON
                .readTree(choice.at("/message/tool_calls/0/function/arguments").asText())
                .has("city"))
        .isTrue();
    assertThat(choice.at("/finish_reason").asText()).isEqualTo("tool_calls");
  }

  @Test
  @DisplayName("2.2 a streamed call: name first, then fragments of the arguments")
  void streamedTool() throws Exception {
    List<String> frames =
        frames(
            target.chat(
                ONE_TOOL + ",\"tool_choice\":\"required\",\"max_tokens\":200,\"stream\":true"));
    StringBuilder arguments = new StringBuilder();
    for (String frame : frames) {
      arguments.append(
          Target.JSON
              .readTree(frame)
              .at("/choices/0/delta/tool_calls/0/function/arguments")
              .asText(""));
    }
    assertThat(frames.get(1))
        .contains("\"name\":\"get_weather\"")
        .contains("\"type\":\"function\"");
    assertThat(Target.JSON.readTree(arguments.toString()).has("city")).isTrue();
    assertThat(frames.getLast()).contains("\"finish_reason\":\"tool_calls\"");
  }

  @Test
  @DisplayName("2.4 a named tool is called")
  void namedTool() throws Exception {
    JsonNode choice =
        json(target.chat(
                ONE_TOOL
                    + ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}},\"max_tokens\":200"))
            .at("/choices/0");
    assertThat(choice.at("/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
  }

  @Test
  @DisplayName("2.4 json_schema: the content is valid for it")
  void jsonSchema() throws Exception {
    JsonNode answer =
        json(
            target.chat(
                "\"max_tokens\":300,\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\",\"minimum\":3,\"maximum\":5},\"kind\":{\"enum\":[\"cat\",\"dog\"]}},\"required\":[\"age\",\"kind\"]}}}"));
    JsonNode value = Target.JSON.readTree(answer.at("/choices/0/message/content").asText());
    assertThat(value.get("age").asInt()).isBetween(3, 5);
    assertThat(value.get("kind").asText()).isIn("cat", "dog");
  }

  @Test
  @DisplayName("2.4 json_object: the content is one JSON object")
  void jsonObject() throws Exception {
    JsonNode answer =
        json(target.chat("\"max_tokens\":1000,\"response_format\":{\"type\":\"json_object\"}"));
    assumeTrue(answer.at("/choices/0/finish_reason").asText().equals("stop"), "ran out of tokens");
    assertThat(Target.JSON.readTree(answer.at("/choices/0/message/content").asText()).isObject())
        .isTrue();
  }

  @Test
  @DisplayName("2.4 structured_outputs regex: the content matches")
  void regex() throws Exception {
    JsonNode answer =
        json(
            target.chat(
                "\"max_tokens\":50,\"structured_outputs\":{\"regex\":\"[A-Z]{3}-[0-9]{2,4}\"}"));
    assertThat(answer.at("/choices/0/message/content").asText()).matches("[A-Z]{3}-[0-9]{2,4}");
  }

  @Test
  @DisplayName("1.4 allowed_token_ids: nothing else comes; bad_words: they do not")
  void tokenRules() throws Exception {
    JsonNode yes = json(target.post("/tokenize", "{\"prompt\":\"yes\"}")).at("/tokens");
    JsonNode only =
        json(
            target.chat(
                "\"max_tokens\":3,\"ignore_eos\":true,\"allowed_token_ids\":[%s]"
                    .formatted(yes.get(yes.size() - 1))));
    JsonNode without =
        json(target.chat("\"max_tokens\":300,\"temperature\":0,\"bad_words\":[\"the\"]"));
    assertThat(only.at("/choices/0/message/content").asText()).isEqualTo("yesyesyes");
    assertThat(without.at("/choices/0/message/content").asText()).doesNotContain(" the ");
  }

  // ---- 2.5, 3 errors

  @Test
  @DisplayName("2.5 lazy validation: a 400 frame inside a 200 stream, in Python's spacing")
  void lazyErrors() throws Exception {
    String field = "\"logprobs\":true,\"top_logprobs\":21,\"max_tokens\":1";
    HttpResponse<String> stream = target.chat(field + ",\"stream\":true");
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.body())
        .startsWith("data: {\"error\": {\"message\": \"Requested sample logprobs of 21")
        .contains("\"code\": 400}}\n\ndata: [DONE]\n\n");
    assertThat(target.chat(field).statusCode()).isEqualTo(400);
  }

  @Test
  @DisplayName("2.5 a token id out of the vocabulary is found lazily")
  void vocabulary() throws Exception {
    String field = "\"prompt\":[1,99999999],\"max_tokens\":1";
    assertThat(target.completion(field).statusCode()).isEqualTo(400);
    HttpResponse<String> stream = target.completion(field + ",\"stream\":true");
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.body()).contains("out of vocabulary").contains("\"code\": 400");
  }

  @Test
  @DisplayName("2.5 a prompt that fills the context is found lazily")
  void fullContext() throws Exception {
    // Given: a chat that is exactly as long as the context
    String body =
        "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],\"stream\":true}";
    int some = 100;
    int tokens =
        json(target.post("/tokenize", body.formatted(target.model(), " a".repeat(some))))
            .path("count")
            .asInt();
    String full = " a".repeat(some + target.maxModelLen() - tokens);

    // When
    HttpResponse<String> stream = target.post(CHAT, body.formatted(target.model(), full));

    // Then
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.body()).contains("is longer than the maximum model length");
  }

  @Test
  @DisplayName("3.1 the envelope: compact, keys in order, code = status")
  void envelope() throws Exception {
    HttpResponse<String> answer =
        target.post(CHAT, target.chatBody("").replace(target.model(), "gpt-x"));
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"The model `gpt-x` does not exist.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}");
  }

  @ParameterizedTest(name = "3.2 {0} -> {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"stream_options\":{\"include_usage\":true} | stream_options | Stream options can only be defined when `stream=True`.",
        "\"continue_final_message\":true | | Cannot set both `continue_final_message` and `add_generation_prompt` to True.",
        "\"prompt_logprobs\":1,\"stream\":true | prompt_logprobs | `prompt_logprobs` are not available when `stream=True`.",
        "\"top_logprobs\":2 | top_logprobs | when using `top_logprobs`, `logprobs` must be set to true.",
        "\"tools\":[] | | `tools` must not be an empty array.",
        "\"tool_choice\":\"required\" | | When using `tool_choice`, `tools` must be set.",
        "\"chat_template\":\"x\" | | --trust-request-chat-template is not set",
        "\"allowed_token_ids\":[] | allowed_token_ids | allowed_token_ids is not None and empty!",
        "\"logit_bias\":{\"99999999\":1} | logit_bias | in logit_bias contain out-of-vocab token ids.",
        "\"temperature\":-1 | temperature | temperature must be non-negative, got -1.0. (parameter=temperature, value=-1.0)",
        "\"max_tokens\":0 | max_tokens | max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)",
        "\"n\":2,\"temperature\":0 | | n must be 1 when using greedy sampling, got 2.",
        "\"top_p\":1.5 | top_p | top_p must be in (0, 1], got 1.5.",
        "\"min_tokens\":9,\"max_tokens\":3 | | min_tokens must be less than or equal to max_tokens=3, got 9.",
      })
  void chatValidation(String field, String param, String message) throws Exception {
    HttpResponse<String> answer = target.chat(field);
    JsonNode error = json(answer).path("error");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error.path("message").asText()).contains(message);
    assertThat(error.path("code").asInt()).isEqualTo(400);
    if (target.isSimulator()) {
      assertThat(error.path("type").asText()).isEqualTo("BadRequestError");
      assertThat(error.path("param").asText()).isEqualTo(param == null ? "null" : param);
    }
  }

  @ParameterizedTest(name = "3.2 completion {0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"prompt\":\"a\",\"suffix\":\"b\" | suffix is not currently supported",
        "\"prompt\":\"a\",\"use_beam_search\":true,\"stream\":true | Streaming is not currently supported with beam search",
        "\"prompt\":[] | Either prompt or prompt_embeds must be provided and non-empty.",
      })
  void completionValidation(String field, String message) throws Exception {
    HttpResponse<String> answer = target.completion(field);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).at("/error/message").asText()).contains(message);
  }

  @Test
  @DisplayName("3.2 prompt and output too long: numbers in the text, param input_tokens")
  void tooLong() throws Exception {
    String text = "word ".repeat(target.maxModelLen() + 50);
    HttpResponse<String> answer =
        target.completion("\"max_tokens\":10,\"prompt\":\"" + text + "\"");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).at("/error/message").asText())
        .startsWith(
            "This model's maximum context length is %d tokens. However, you requested 10 output tokens and your prompt contains"
                .formatted(target.maxModelLen()));
    assertThat(json(answer).at("/error/param").asText()).isEqualTo("input_tokens");
  }

  @Test
  @DisplayName("3.2 a text that cannot fit is refused by its characters")
  void farTooLong() throws Exception {
    assumeTrue(target.isSimulator(), "the longest token of the vocabulary decides");
    HttpResponse<String> answer =
        target.completion("\"prompt\":\"" + "a".repeat(128 * target.maxModelLen() + 1) + "\"");
    assertThat(json(answer).at("/error/param").asText()).isEqualTo("input_text");
    assertThat(json(answer).at("/error/message").asText())
        .contains("characters (more than")
        .contains("which is the upper bound for");
  }

  @Test
  @DisplayName("3.2 bad JSON and missing fields: 400 Bad Request, 1 validation error")
  void pydantic() throws Exception {
    for (String body : List.of("{oops", "{}")) {
      HttpResponse<String> answer = target.post(CHAT, body);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(json(answer).at("/error/type").asText()).isEqualTo("Bad Request");
      assertThat(json(answer).at("/error/message").asText()).startsWith("1 validation error");
    }
  }

  @Test
  @DisplayName("3.2 a list as the body: 500")
  void listBody() throws Exception {
    assertThat(target.post(CHAT, "[1]").statusCode()).isEqualTo(500);
  }

  @Test
  @DisplayName("2.5 a bad regex is found lazily")
  void badRegex() throws Exception {
    String field = "\"structured_outputs\":{\"regex\":\"[a-\"},\"max_tokens\":1";
    HttpResponse<String> stream = target.chat(field + ",\"stream\":true");
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.body()).contains("regex").contains("\"code\": 400}}\n\ndata: [DONE]\n\n");
    assertThat(target.chat(field).statusCode()).isEqualTo(400);
  }

  @Test
  @DisplayName("3.2 a wrong content type is refused")
  void contentType() throws Exception {
    assertThat(
            target
                .send(
                    target
                        .request(CHAT)
                        .header("content-type", "text/plain")
                        .POST(HttpRequest.BodyPublishers.ofString(target.chatBody(""))))
                .statusCode())
        .isEqualTo(400);
  }

  // ---- 4 metrics

  @Test
  @DisplayName("4.1 /metrics: content type, and the gauges that routing reads")
  void metrics() throws Exception {
    HttpResponse<String> page = target.get("/metrics");
    assertThat(page.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
    assertThat(page.body())
        .contains("vllm:num_requests_running{")
        .contains("vllm:num_requests_waiting{")
        .contains("vllm:kv_cache_usage_perc{")
        .contains("# TYPE vllm:prompt_tokens_total counter");
  }

  private static List<String> keys(JsonNode object) {
    List<String> keys = new ArrayList<>();
    object.fieldNames().forEachRemaining(keys::add);
    return keys;
  }
}
