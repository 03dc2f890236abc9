package io.sluice.simulator.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Answers of the generation endpoints, compared with vLLM's bytes. */
class ResponsesTest {

  private static SimulatedEngine engine;
  private static Client client;

  @BeforeAll
  static void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m", "alias"))
                .withMaxModelLen(4096)
                .withTiming(Timing.of(GpuProfile.H100).withSpeed(50)));
    client = new Client(engine);
  }

  @AfterAll
  static void stop() {
    engine.close();
  }

  @Test
  void aChatStreamHasTheFramesOfVllmByteByByte() {
    String stream =
        client
            .post(
                "/v1/chat/completions",
                chat(
                    "\"stream\":true,\"max_tokens\":1,\"stream_options\":{\"include_usage\":true}"),
                "X-Request-Id",
                "abc")
            .body();
    String fingerprint = fingerprint(stream);

    String head =
        "{\"id\":\"chatcmpl-abc\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",";
    assertThat(settled(stream))
        .isEqualTo(
            "data: "
                + head
                + "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":null,\"prompt_text\":null}\n\n"
                + "data: "
                + head
                + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"In\"},\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null}]}\n\n"
                + "data: "
                + head
                + "\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"total_tokens\":11,\"completion_tokens\":1},\"system_fingerprint\":\""
                + fingerprint
                + "\"}\n\ndata: [DONE]\n\n");
  }

  @Test
  void withoutAUsageFrameTheFinalFrameHasTheFingerprint() {
    List<String> frames =
        Client.frames(
            client.post("/v1/chat/completions", chat("\"stream\":true,\"max_tokens\":3")).body());

    assertThat(frames.getLast())
        .contains(
            "\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null}],\"system_fingerprint\":\"vllm-0.32.0-");
    assertThat(String.join("", frames)).doesNotContain("usage");
  }

  @Test
  void aCompletionStreamHasTheFramesOfVllmByteByByte() {
    String stream =
        client
            .post(
                "/v1/completions",
                "{\"model\":\"m\",\"prompt\":\"Hi\",\"stream\":true,\"max_tokens\":1}",
                "X-Request-Id",
                "abc")
            .body();
    String text = Client.text(Client.frames(stream), 0);

    assertThat(settled(stream))
        .isEqualTo(
            "data: {\"id\":\"cmpl-abc\",\"object\":\"text_completion\",\"created\":0,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\""
                + text
                + "\",\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null,\"prompt_token_ids\":null,\"token_ids\":null}],\"system_fingerprint\":\""
                + fingerprint(stream)
                + "\"}\n\ndata: [DONE]\n\n");
  }

  @Test
  void wholeAnswersHaveTheKeysOfVllmInOrder() {
    String answer =
        client.post("/v1/chat/completions", chat("\"max_tokens\":1"), "X-Request-Id", "abc").body();
    assertThat(settled(answer))
        .isEqualTo(
            "{\"id\":\"chatcmpl-abc\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"In\",\"refusal\":null,\"annotations\":null,\"audio\":null,\"function_call\":null,\"reasoning\":null},\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null,\"routed_experts\":null}],\"service_tier\":null,\"system_fingerprint\":\""
                + fingerprint(answer)
                + "\",\"usage\":{\"prompt_tokens\":10,\"total_tokens\":11,\"completion_tokens\":1,\"prompt_tokens_details\":null,\"completion_tokens_details\":null},\"prompt_logprobs\":null,\"prompt_token_ids\":null,\"prompt_text\":null,\"kv_transfer_params\":null,\"ec_transfer_params\":null,\"metrics\":null}");

    String completion =
        client
            .post("/v1/completions", "{\"prompt\":\"Hi\",\"max_tokens\":1}", "X-Request-Id", "abc")
            .body();
    assertThat(settled(completion).replaceAll("\"text\":\"[^\"]*\"", "\"text\":\"\""))
        .isEqualTo(
            "{\"id\":\"cmpl-abc\",\"object\":\"text_completion\",\"created\":0,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null,\"prompt_logprobs\":null,\"prompt_token_ids\":null,\"routed_experts\":null}],\"service_tier\":null,\"system_fingerprint\":\""
                + fingerprint(completion)
                + "\",\"usage\":{\"prompt_tokens\":1,\"total_tokens\":2,\"completion_tokens\":1,\"prompt_tokens_details\":null,\"completion_tokens_details\":null},\"kv_transfer_params\":null,\"ec_transfer_params\":null,\"metrics\":null}");
  }

  @Test
  void theHeadOfAStreamIsThatOfUvicornAndEachEventIsOneChunk() throws IOException {
    try (Socket socket =
        client.open("/v1/chat/completions", chat("\"stream\":true,\"max_tokens\":2"))) {
      String raw = Client.readUntil(socket, "0\r\n\r\n");

      assertThat(raw)
          .matches(
              "(?s)HTTP/1\\.1 200 OK\r\ndate: [^\r]+ GMT\r\nserver: uvicorn\r\nvary: Origin\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n[0-9a-f]+\r\ndata: .*")
          .endsWith("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
      for (String chunk : raw.substring(raw.indexOf("\r\n\r\n") + 4).split("\r\n")) {
        assertThat(chunk).matches("(?s)[0-9a-f]+|data: [^\n]*\n\n|");
      }
    }
  }

  @Test
  void streamedAndWholeTextAreTheSameAndEndTheSameWay() {
    JsonNode whole = client.json("/v1/chat/completions", chat("\"seed\":1"));
    List<String> frames =
        Client.frames(client.post("/v1/chat/completions", chat("\"stream\":true")).body());

    assertThat(Client.text(frames, 0)).isEqualTo(whole.at("/choices/0/message/content").asText());
    assertThat(whole.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(frames.getLast()).contains("\"finish_reason\":\"stop\",\"stop_reason\":null");
  }

  @Test
  void aContinuedChatEndsWhereTheUninterruptedOneDoes() {
    JsonNode whole = client.json("/v1/chat/completions", chat("\"seed\":1"));
    String text = whole.at("/choices/0/message/content").asText();

    for (int cut = 0; cut <= text.length(); cut += 7) {
      String partial = Client.JSON.valueToTree(text.substring(0, cut)).toString();
      JsonNode rest =
          client.json(
              "/v1/chat/completions",
              "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi there\"},{\"role\":\"assistant\",\"content\":"
                  + partial
                  + "}],\"add_generation_prompt\":false,\"continue_final_message\":true}");

      assertThat(text.substring(0, cut) + rest.at("/choices/0/message/content").asText())
          .isEqualTo(text);
      assertThat(rest.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }
  }

  @Test
  void aChatCanBeContinuedAsACompletionFromItsTokenIds() {
    JsonNode whole = client.json("/v1/chat/completions", chat("\"return_token_ids\":true"));
    List<Integer> prompt = ints(whole.get("prompt_token_ids"));
    List<Integer> output = ints(whole.at("/choices/0/token_ids"));

    for (int cut : new int[] {0, 1, 5, output.size() / 2, output.size() - 1}) {
      List<Integer> ids = new ArrayList<>(prompt);
      ids.addAll(output.subList(0, cut));
      JsonNode rest =
          client.json(
              "/v1/completions",
              "{\"prompt\":" + ids + ",\"max_tokens\":1000,\"return_token_ids\":true}");

      assertThat(ints(rest.at("/choices/0/token_ids")))
          .isEqualTo(output.subList(cut, output.size()));
      assertThat(ints(rest.at("/choices/0/prompt_token_ids"))).isEqualTo(ids);
    }
    assertThat(output.getLast()).isEqualTo(Tokenizer.END_OF_TEXT);
  }

  @Test
  void everyFrameHasUsageIfRequested() {
    List<String> frames =
        Client.frames(
            client
                .post(
                    "/v1/chat/completions",
                    chat(
                        "\"stream\":true,\"max_tokens\":5,\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}"))
                .body());

    assertThat(frames).allSatisfy(frame -> assertThat(frame).contains("],\"usage\":{"));
    assertThat(Client.parse(frames.getFirst()).at("/usage/completion_tokens").asInt()).isZero();
    assertThat(Client.parse(frames.getLast()).at("/usage/completion_tokens").asInt()).isEqualTo(5);
  }

  @Test
  void severalChoicesHaveTheirOwnTextAndEndAndShareOneUsage() {
    List<String> frames =
        Client.frames(
            client
                .post(
                    "/v1/chat/completions",
                    chat(
                        "\"stream\":true,\"n\":3,\"max_tokens\":8,\"stream_options\":{\"include_usage\":true}"))
                .body());

    assertThat(frames.subList(0, 3))
        .allSatisfy(frame -> assertThat(frame).contains("\"role\":\"assistant\""));
    assertThat(List.of(Client.text(frames, 0), Client.text(frames, 1), Client.text(frames, 2)))
        .doesNotHaveDuplicates();
    assertThat(Client.parse(frames.getLast()).at("/usage").toString())
        .isEqualTo("{\"prompt_tokens\":10,\"total_tokens\":34,\"completion_tokens\":24}");
  }

  @Test
  void severalPromptsAreNumberedByPromptAndChoice() {
    JsonNode answer =
        client.json(
            "/v1/completions",
            "{\"prompt\":[\"one\",\"two\"],\"n\":2,\"max_tokens\":3,\"echo\":true}");

    assertThat(answer.get("choices")).hasSize(4);
    assertThat(answer.at("/choices/0/text").asText()).startsWith("one");
    assertThat(answer.at("/choices/3/text").asText()).startsWith("two");
    assertThat(answer.at("/choices/3/index").asInt()).isEqualTo(3);
    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(12);
  }

  @Test
  void aStopStringEndsTheTextBeforeIt() {
    JsonNode answer = client.json("/v1/chat/completions", chat("\"stop\":[\"e end\",\"zzz\"]"));

    assertThat(answer.at("/choices/0/message/content").asText()).isEqualTo("In th");
    assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(answer.at("/choices/0/stop_reason").asText()).isEqualTo("e end");
  }

  @Test
  void ignoringTheEndTokenYieldsExactlyTheRequestedTokens() {
    JsonNode answer =
        client.json("/v1/chat/completions", chat("\"ignore_eos\":true,\"max_tokens\":1500"));

    assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(1500);
    assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  void anIdWithoutAHeaderIsSixteenHexDigits() {
    assertThat(client.json("/v1/chat/completions", chat("\"max_tokens\":1")).get("id").asText())
        .matches("chatcmpl-[0-9a-f]{16}");
  }

  @Test
  void smallEndpointsAnswerAsVllmDoes() {
    assertThat(client.get("/health").body()).isEmpty();
    assertThat(client.get("/ping").statusCode()).isEqualTo(200);
    assertThat(client.get("/version").body()).isEqualTo("{\"version\":\"0.32.0\"}");
    assertThat(client.get("/load").body()).isEqualTo("{\"server_load\":0}");
    assertThat(client.get("/metrics").headers().firstValue("content-type"))
        .contains("text/plain; version=1.0.0; charset=utf-8");
    assertThat(Client.parse(client.get("/v1/models").body()).at("/data/1/id").asText())
        .isEqualTo("alias");
    assertThat(client.post("/tokenize", "{\"prompt\":\"hello world\"}").body())
        .isEqualTo(
            "{\"count\":2,\"max_model_len\":4096,\"tokens\":[15339,1917],\"token_strs\":null}");
    assertThat(client.post("/detokenize", "{\"tokens\":[15339,1917]}").body())
        .isEqualTo("{\"prompt\":\"hello world\"}");
    assertThat(client.json("/tokenize", chat("\"x\":1")).get("count").asInt()).isEqualTo(10);
  }

  private static String chat(String more) {
    return "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi there\"}],"
        + more
        + "}";
  }

  private static String settled(String body) {
    return body.replaceAll("\"created\":\\d+", "\"created\":0");
  }

  private static String fingerprint(String body) {
    return body.replaceAll("(?s).*\"system_fingerprint\":\"([^\"]+)\".*", "$1");
  }

  private static List<Integer> ints(JsonNode array) {
    List<Integer> ints = new ArrayList<>();
    array.forEach(item -> ints.add(item.asInt()));
    return ints;
  }
}
