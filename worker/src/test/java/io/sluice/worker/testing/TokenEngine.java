package io.sluice.worker.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.simulator.text.Detokenizer;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/**
 * An engine with vLLM's tokens and frames that generates one fixed answer and continues it from any
 * prompt that contains its beginning. It can be made to die after a number of frames.
 */
public final class TokenEngine implements EngineClient {
  public static final Tokenizer TOKENIZER = new Tokenizer();
  public static final List<Integer> PROMPT = ids(TOKENIZER.encode("user: hi\nassistant: "));

  private static final int CONTEXT = 10_000;

  private final ManualTime time;
  private final String answer;
  private final int mostPerFrame;
  private final Random random;
  private final List<String> paths = new ArrayList<>();
  private int framesToLive = Integer.MAX_VALUE;
  private Runnable death = () -> {};

  /**
   * An engine that lives.
   *
   * @param mostPerFrame tokens that a frame may hold
   */
  public TokenEngine(ManualTime time, String answer, int mostPerFrame, long seed) {
    this.time = time;
    this.answer = answer;
    this.mostPerFrame = mostPerFrame;
    this.random = new Random(seed);
  }

  /** The next stream breaks after so many frames; this happens just before. */
  public void dieAfter(int frames, Runnable event) {
    framesToLive = frames;
    death = event;
  }

  /** Returns the endpoints of all generations. */
  public List<String> paths() {
    return List.copyOf(paths);
  }

  /** What an answer without interruption is: tokens, text, and why it ended. */
  public record Whole(List<Integer> ids, String text, String finishReason, JsonNode stopReason) {}

  /**
   * Returns the answer to a request that is not interrupted, with the text as vLLM itself shows it.
   */
  public Whole whole(List<String> stops, boolean includeStop, OptionalInt maxTokens) {
    var made = new ArrayList<Integer>();
    var text = new StringBuilder();
    for (Piece piece :
        pieces(PROMPT, ids(TOKENIZER.encode(answer)), stops, includeStop, maxTokens)) {
      made.add(piece.id());
      text.append(piece.text());
      if (!piece.finishReason().isNull()) {
        return new Whole(made, text.toString(), piece.finishReason().asText(), piece.stopReason());
      }
    }
    throw new AssertionError("an answer has an end");
  }

  private record Piece(int id, String text, JsonNode finishReason, JsonNode stopReason) {}

  @Override
  public EngineStream open(EngineRequest request) {
    paths.add(request.path());
    ObjectNode body = (ObjectNode) tree(request.body());
    JsonNode last = body.path("messages").path(body.path("messages").size() - 1);
    boolean isInMessage = body.path("continue_final_message").asBoolean(false);
    List<Integer> prompt = new ArrayList<>(PROMPT);
    List<Integer> rest = ids(TOKENIZER.encode(answer));
    if (isInMessage) {
      String begun = last.path("content").asText();
      prompt.addAll(ids(TOKENIZER.encode(begun)));
      rest = ids(TOKENIZER.encode(rest(begun)));
    } else if (body.path("prompt").isArray()) {
      prompt.clear();
      body.path("prompt").forEach(id -> prompt.add(id.asInt()));
      rest = rest(rest, prompt.subList(PROMPT.size(), prompt.size()));
    }
    List<String> stops = new ArrayList<>();
    body.path("stop").forEach(stop -> stops.add(stop.asText()));
    JsonNode most =
        isCompletion(request) ? body.path("max_tokens") : body.path("max_completion_tokens");
    return new Playing(
        frames(
            isCompletion(request),
            prompt.size(),
            body.path("return_token_ids").asBoolean(false),
            pieces(
                prompt,
                rest,
                stops,
                body.path("include_stop_str_in_output").asBoolean(false),
                most.isInt() ? OptionalInt.of(most.asInt()) : OptionalInt.empty())));
  }

  @Override
  public EngineAnswer get(String path, Duration atMost) {
    return new EngineAnswer(404, new byte[0]);
  }

  @Override
  public EngineAnswer post(String path, byte[] json, Duration atMost) {
    ObjectNode answered = Json.mapper().createObjectNode();
    if (tree(json).has("min_tokens")) {
      int asked =
          new OpenAiRequest(Endpoint.CHAT_COMPLETIONS, (ObjectNode) tree(json))
              .limit()
              .asInt(CONTEXT);
      answered
          .putObject("error")
          .put("message", "more than max_tokens=" + Math.min(CONTEXT, asked));
      return new EngineAnswer(400, Json.bytes(answered));
    }
    if (path.equals("/tokenize")) {
      answered.set("tokens", Json.mapper().valueToTree(PROMPT));
      answered.put("max_model_len", CONTEXT);
    } else {
      List<Integer> tokens = new ArrayList<>();
      tree(json).path("tokens").forEach(id -> tokens.add(id.asInt()));
      answered.put("prompt", TOKENIZER.decode(of(tokens)));
    }
    return new EngineAnswer(200, Json.bytes(answered));
  }

  private static boolean isCompletion(EngineRequest request) {
    return !request.path().endsWith("/chat/completions");
  }

  private static List<Integer> rest(List<Integer> ids, List<Integer> begun) {
    if (begun.size() > ids.size() || !ids.subList(0, begun.size()).equals(begun)) {
      throw new AssertionError("asked to go on after what were not the answer's tokens: " + begun);
    }
    return ids.subList(begun.size(), ids.size());
  }

  private String rest(String begun) {
    if (!answer.startsWith(begun)) {
      throw new AssertionError("asked to go on after what was not the answer: " + begun);
    }
    return answer.substring(begun.length());
  }

  private static List<Piece> pieces(
      List<Integer> prompt,
      List<Integer> rest,
      List<String> stops,
      boolean includeStop,
      OptionalInt maxTokens) {
    JsonNode none = Json.mapper().nullNode();
    List<Integer> ids = new ArrayList<>(rest);
    ids.add(Tokenizer.END_OF_TEXT);
    var detokenizer = new Detokenizer(TOKENIZER, of(prompt), stops, includeStop);
    List<Piece> pieces = new ArrayList<>();
    for (int id : ids) {
      boolean isEnd = id == Tokenizer.END_OF_TEXT;
      Optional<String> stop = isEnd ? Optional.empty() : detokenizer.add(id, true);
      boolean isLast = pieces.size() + 1 == maxTokens.orElse(Integer.MAX_VALUE);
      boolean isOver = isEnd || stop.isPresent() || isLast;
      String reason = isEnd || stop.isPresent() ? "stop" : "length";
      pieces.add(
          new Piece(
              id,
              detokenizer.take(isOver),
              isOver ? Json.mapper().getNodeFactory().textNode(reason) : none,
              stop.<JsonNode>map(Json.mapper().getNodeFactory()::textNode).orElse(none)));
      if (isOver) {
        break;
      }
    }
    return pieces;
  }

  private ArrayDeque<EngineEvent> frames(
      boolean isCompletion, int promptTokens, boolean withIds, List<Piece> pieces) {
    ArrayDeque<EngineEvent> frames = new ArrayDeque<>();
    if (!isCompletion) {
      ObjectNode role = Json.mapper().createObjectNode().put("index", 0);
      role.putObject("delta").put("role", "assistant").put("content", "");
      frames.add(frame(role, promptTokens, 0, List.of()));
    }
    int made = 0;
    while (made < pieces.size()) {
      int count = Math.min(1 + random.nextInt(mostPerFrame), pieces.size() - made);
      List<Piece> together = pieces.subList(made, made + count);
      made += count;
      var text = new StringBuilder();
      together.forEach(piece -> text.append(piece.text()));
      ObjectNode choice = Json.mapper().createObjectNode().put("index", 0);
      if (isCompletion) {
        choice.put("text", text.toString());
      } else {
        choice.putObject("delta").put("content", text.toString());
      }
      choice.set("finish_reason", together.getLast().finishReason());
      choice.set("stop_reason", together.getLast().stopReason());
      List<Integer> ids = withIds ? together.stream().map(Piece::id).toList() : List.of();
      if (withIds) {
        ArrayNode told = choice.putArray("token_ids");
        ids.forEach(told::add);
      }
      EngineEvent.Tokens frame = frame(choice, promptTokens, made, ids);
      boolean isPlain = !frames.isEmpty() && together.getLast().finishReason().isNull();
      String field = isCompletion ? Choice.TEXT : "content";
      frames.add(isPlain ? frame.with(new Chunk.Text(field, text.toString())) : frame);
    }
    frames.add(ScriptedEngine.finish(Usage.of(promptTokens, made)));
    return frames;
  }

  private EngineEvent.Tokens frame(
      ObjectNode choice, int promptTokens, int made, List<Integer> ids) {
    ObjectNode chunk = Json.mapper().createObjectNode();
    chunk.put("id", "engine-" + paths.size()).put("created", paths.size()).put("model", "m");
    chunk.putArray("choices").add(choice);
    return new EngineEvent.Tokens(
        new Chunk.Tree(chunk),
        made,
        ids,
        Optional.of(Usage.of(promptTokens, made)),
        chunk.toString().length());
  }

  private static JsonNode tree(byte[] json) {
    try {
      return Json.tree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static TokenIds of(List<Integer> ids) {
    return TokenIds.of(ids.stream().mapToInt(Integer::intValue).toArray());
  }

  private static List<Integer> ids(TokenIds ids) {
    return java.util.Arrays.stream(ids.toArray()).boxed().toList();
  }

  private final class Playing implements EngineStream {
    private final ArrayDeque<EngineEvent> frames;
    private int left = framesToLive;

    Playing(ArrayDeque<EngineEvent> frames) {
      this.frames = frames;
      framesToLive = Integer.MAX_VALUE;
    }

    @Override
    public Optional<EngineEvent> next(Duration atMost) throws EngineException {
      time.advance(Duration.ofMillis(random.nextInt(15)));
      if (left-- <= 0) {
        death.run();
        throw new EngineException(new EngineFailure.Broken(FailureCode.CUT, "the engine died"));
      }
      return Optional.of(frames.remove());
    }

    @Override
    public void cancel() {}

    @Override
    public void close() {}
  }
}
