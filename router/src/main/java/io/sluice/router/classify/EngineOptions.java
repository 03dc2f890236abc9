package io.sluice.router.classify;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Request options that some engines refuse, by the names under which workers declare them. Two of
 * them only choose among several answers and can be removed: the caller then gets the first answer
 * instead of the best one.
 */
public final class EngineOptions {
  private static final String BEST_OF = "best_of";
  private static final String BEAM_SEARCH = "beam_search";

  /** How a body sets each option. */
  private static final Map<String, Predicate<OpenAiRequest>> ASKED =
      Map.of(
          BEST_OF,
          request -> request.bestOf() > 1,
          BEAM_SEARCH,
          OpenAiRequest::isBeamSearch,
          "tools",
          OpenAiRequest::hasTools,
          "structured_outputs",
          OpenAiRequest::isStructured,
          "logprobs",
          OpenAiRequest::hasLogprobs);

  /** The fields that are removed from a body to drop an option. */
  private static final Map<String, List<String>> LEFT_OUT =
      Map.of(
          BEST_OF,
          List.of("best_of"),
          BEAM_SEARCH,
          List.of("use_beam_search", "length_penalty", "early_stopping"));

  private EngineOptions() {}

  /** Returns the options that a request sets. */
  static List<String> askedBy(OpenAiRequest request) {
    return ASKED.keySet().stream()
        .filter(option -> ASKED.getOrDefault(option, any -> false).test(request))
        .toList();
  }

  /** Returns the options that a request can do without. */
  public static Set<String> correctable() {
    return LEFT_OUT.keySet();
  }

  /** Returns the options among these that a request can do without. */
  public static Set<String> correctable(Collection<String> options) {
    Set<String> found = new TreeSet<>(options);
    found.retainAll(LEFT_OUT.keySet());
    return found;
  }

  /**
   * Removes options that the request can do without. The result is never longer than the body: what
   * stays is copied unchanged, because a body that is encoded again may be three times as long. A
   * body that is not UTF-8 JSON is returned unchanged; the engine reports what is wrong with it.
   */
  public static byte[] without(byte[] body, Collection<String> options) {
    Set<String> fields =
        correctable(options).stream()
            .flatMap(option -> LEFT_OUT.getOrDefault(option, List.of()).stream())
            .collect(Collectors.toSet());
    try (JsonParser parser = Json.mapper().createParser(body)) {
      return parser.nextToken() == JsonToken.START_OBJECT ? without(parser, body, fields) : body;
    } catch (IOException e) {
      return body;
    }
  }

  private static byte[] without(JsonParser parser, byte[] body, Set<String> fields)
      throws IOException {
    var left = new ByteArrayOutputStream(body.length);
    left.write('{');
    JsonToken token = parser.nextToken();
    while (token == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      int from = (int) parser.currentTokenLocation().getByteOffset();
      parser.nextToken();
      parser.skipChildren();
      token = parser.nextToken();
      int to = endOfMember(body, (int) parser.currentTokenLocation().getByteOffset());
      if (from < 0 || to < from || body[from] != '"') {
        return body;
      }
      if (!fields.contains(name)) {
        if (left.size() > 1) {
          left.write(',');
        }
        left.write(body, from, to - from);
      }
    }
    left.write('}');
    return left.toByteArray();
  }

  /** A comma, and possibly space, separates a member from the next one. */
  private static int endOfMember(byte[] body, int next) {
    int end = next;
    while (end > 0 && (body[end - 1] == ',' || Character.isWhitespace(body[end - 1]))) {
      end--;
    }
    return end;
  }
}
