package io.sluice.worker.warmup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The request bodies of a warm-up. Immutable.
 *
 * @param bodies chat completions, sent in order and then again from the first; their model and
 *     length are not yet set
 */
public record WarmUpPrompts(List<ObjectNode> bodies) {
  private static final int[] WORDS = {32, 128, 512, 2_048};
  private static final int CONTEXT_PER_WORD = 4;
  private static final int OUTPUT_TOKENS = 16;

  public WarmUpPrompts {
    bodies = List.copyOf(bodies);
  }

  /**
   * Reads a chat completion's body per line; or a line of a batch, which has it as {@code body}.
   * Without a file, prompts are generated.
   *
   * @throws IllegalArgumentException if the file cannot be read, or a line has no {@code messages}
   */
  public static WarmUpPrompts of(Optional<Path> file) {
    return new WarmUpPrompts(file.map(WarmUpPrompts::read).orElse(List.of()));
  }

  private static List<ObjectNode> read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("--warm-up-prompts: cannot read " + file, e);
    }
    var bodies = new ArrayList<ObjectNode>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        int number = i + 1;
        bodies.add(
            body(lines.get(i))
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "--warm-up-prompts: line %d of %s is not a JSON object with \"messages\""
                                .formatted(number, file))));
      }
    }
    if (bodies.isEmpty()) {
      throw new IllegalArgumentException("--warm-up-prompts: %s is empty".formatted(file));
    }
    return bodies;
  }

  private static Optional<ObjectNode> body(String line) {
    try {
      JsonNode json = Json.mapper().readTree(line);
      JsonNode body = json.path("body").isObject() ? json.path("body") : json;
      return body instanceof ObjectNode object && object.path("messages").isArray()
          ? Optional.of(object)
          : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** Returns the first {@code count} bodies for a model, each with a short streamed answer. */
  List<byte[]> bodies(String model, int maxModelLen, int count) {
    List<ObjectNode> from = bodies.isEmpty() ? generated(maxModelLen, count) : bodies;
    if (from.isEmpty()) {
      return List.of();
    }
    return IntStream.range(0, count)
        .mapToObj(i -> Json.bytes(shortened(from.get(i % from.size()), model)))
        .toList();
  }

  private static ObjectNode shortened(ObjectNode body, String model) {
    ObjectNode shortened = body.deepCopy();
    shortened.remove("max_completion_tokens");
    return shortened.put("model", model).put("stream", true).put("max_tokens", OUTPUT_TOKENS);
  }

  /** No prompt is a prefix of another, and none is longer than a quarter of the context. */
  private static List<ObjectNode> generated(int maxModelLen, int count) {
    int[] lengths =
        IntStream.of(WORDS).filter(words -> words * CONTEXT_PER_WORD <= maxModelLen).toArray();
    return lengths.length == 0
        ? List.of()
        : IntStream.range(0, count).mapToObj(i -> prompt(i, lengths[i % lengths.length])).toList();
  }

  private static ObjectNode prompt(int number, int words) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.putArray("messages")
        .addObject()
        .put("role", "user")
        .put("content", number + " warm".repeat(words));
    return body;
  }
}
