package io.sluice.verify.conformance;

import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Rules about the form of streams. */
final class StreamRules {

  private static final String END = "0\r\n\r\n";
  private static final String HEAD_END = "\r\n\r\n";

  private StreamRules() {}

  static List<Rule> all() {
    return List.of(
        new Rule(
            "2.1 the head of a stream: content type, chunked, uvicorn, no cache-control",
            StreamRules::head),
        new Rule(
            "2.1 each event is one data line in one chunk, and [DONE] ends the stream",
            StreamRules::framing),
        new Rule("2.2 the role frame is first and has its exact keys", StreamRules::roleFrame),
        new Rule(
            "2.2 content frames have token_ids, the final one finish_reason and stop_reason",
            StreamRules::contentFrames),
        new Rule(
            "2.2 the fingerprint is in the final frame, or in the usage frame if there is one",
            StreamRules::fingerprint),
        new Rule("2.2 id and created are the same in all frames", StreamRules::constants),
        new Rule(
            "2.2 continuous usage is in every frame and counts up from 0",
            StreamRules::continuousUsage),
        new Rule(
            "2.2 n streams: all role frames first, one final frame per choice, one usage",
            StreamRules::severalStreams),
        new Rule(
            "2.2 the streamed text equals the text of the whole answer", StreamRules::sameText),
        new Rule(
            "2.3 completion frames have no role, and each frame has all keys",
            StreamRules::completionFrames));
  }

  private static void head(Engine engine) {
    String raw =
        engine.client().raw(Engine.CHAT, engine.chatBody("\"max_tokens\":2,\"stream\":true"), END);
    String head = raw.substring(0, raw.indexOf(HEAD_END)).toLowerCase(Locale.ROOT);
    Expect.contains(
        head,
        "http/1.1 200 ok",
        "content-type: text/event-stream; charset=utf-8",
        "transfer-encoding: chunked",
        "server: uvicorn");
    Expect.that(!head.contains("cache-control"), "cache-control in", head);
  }

  private static void framing(Engine engine) {
    String raw =
        engine.client().raw(Engine.CHAT, engine.chatBody("\"max_tokens\":4,\"stream\":true"), END);
    for (String chunk : raw.substring(raw.indexOf(HEAD_END) + 4).split("\r\n", -1)) {
      Expect.matches("^([0-9a-f]+|data: [^\n]*\n\n|)$", chunk);
    }
    Expect.matches("data: \\[DONE]\n\n\r\n0\r\n\r\n$", raw);
  }

  private static void roleFrame(Engine engine) {
    Expect.matches(
        "^\\{\"id\":\"chatcmpl-[0-9a-f]{16,32}\",\"object\":\"chat\\.completion\\.chunk\",\"created\":\\d+,\"model\":\"[^\"]+\",\"choices\":\\[\\{\"index\":0,\"delta\":\\{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":null(,\"prompt_text\":null)?}$",
        engine.chat("\"max_tokens\":2,\"stream\":true").frames().getFirst());
  }

  private static void contentFrames(Engine engine) {
    List<String> frames =
        engine.chat("\"max_tokens\":200,\"ignore_eos\":true,\"stream\":true").frames();
    Expect.contains(
        frames.get(1), "\"delta\":{\"content\":\"", "\"finish_reason\":null,\"token_ids\":null}]");
    Expect.contains(
        frames.getLast(), "\"finish_reason\":\"length\",\"stop_reason\":null,\"token_ids\":null}]");
  }

  private static void fingerprint(Engine engine) {
    List<String> bare = engine.chat("\"max_tokens\":2,\"stream\":true").frames();
    List<String> used =
        engine
            .chat("\"max_tokens\":2,\"stream\":true,\"stream_options\":{\"include_usage\":true}")
            .frames();
    Expect.contains(bare.getLast(), "\"system_fingerprint\":\"vllm-");
    Expect.contains(used.getLast(), "\"choices\":[],\"usage\":{", "system_fingerprint");
    String last = used.get(used.size() - 2);
    Expect.that(!last.contains("system_fingerprint"), "a fingerprint in", last);
  }

  private static void constants(Engine engine) {
    Set<String> heads = new HashSet<>();
    for (String frame : engine.chat("\"max_tokens\":5,\"stream\":true").frames()) {
      heads.add(frame.replaceAll("\"model\".*", ""));
    }
    Expect.that(heads.size() == 1, "several heads", heads);
  }

  private static void continuousUsage(Engine engine) {
    List<Integer> counts = new ArrayList<>();
    for (String frame :
        engine
            .chat(
                "\"max_tokens\":4,\"ignore_eos\":true,\"stream\":true,\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}")
            .frames()) {
      counts.add(EngineAnswer.json(frame).at("/usage/completion_tokens").asInt(-1));
    }
    Expect.equal(counts.stream().sorted().toList(), counts);
    Expect.equal(0, counts.getFirst());
    Expect.equal(4, counts.getLast());
  }

  private static void severalStreams(Engine engine) {
    List<String> frames =
        engine
            .chat(
                "\"n\":2,\"max_tokens\":4,\"stream\":true,\"stream_options\":{\"include_usage\":true}")
            .frames();
    frames.subList(0, 2).forEach(frame -> Expect.contains(frame, "\"role\":\"assistant\""));
    Expect.equal(2L, frames.stream().filter(frame -> frame.contains("\"stop_reason\"")).count());
    Expect.equal(1L, frames.stream().filter(frame -> frame.contains("\"choices\":[]")).count());
  }

  private static void sameText(Engine engine) {
    String fields = "\"max_tokens\":60,\"temperature\":0,\"seed\":1";
    Expect.equal(
        engine.chat(fields).json().at("/choices/0/message/content").asText(),
        engine.chat(fields + ",\"stream\":true").joined("/choices/0/delta/content"));
  }

  private static void completionFrames(Engine engine) {
    List<String> frames =
        engine.completion("\"prompt\":\"a\",\"max_tokens\":3,\"stream\":true").frames();
    Expect.that(!frames.isEmpty(), "no frames");
    frames.forEach(
        frame ->
            Expect.matches(
                "\"choices\":\\[\\{\"index\":0,\"text\":\".*\",\"logprobs\":null,\"finish_reason\":(null|\"\\w+\"),\"stop_reason\":.*,\"prompt_token_ids\":null,\"token_ids\":null}]",
                frame));
  }
}
