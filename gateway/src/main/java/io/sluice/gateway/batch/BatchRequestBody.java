package io.sluice.gateway.batch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The body of {@code POST /v1/batches}. Methods throw {@link ApiException} for a wrong field. */
final class BatchRequestBody {
  private static final Pattern WINDOW = Pattern.compile("([1-9][0-9]{0,3})([mh])");
  private static final Duration LONGEST_WINDOW = Duration.ofHours(24);
  private static final long SHORTEST_KEPT = 3_600;
  private static final long LONGEST_KEPT = 2_592_000;
  private static final int MAX_METADATA = 16;
  private static final int MAX_METADATA_KEY = 64;
  private static final int MAX_METADATA_VALUE = 512;

  private final ObjectNode json;

  BatchRequestBody(ObjectNode json) {
    this.json = json;
  }

  String inputFileId() {
    return text("input_file_id");
  }

  String endpoint() {
    String path = text("endpoint");
    if (!PoolLines.ENDPOINTS.contains(path)) {
      String known = String.join(" or ", PoolLines.ENDPOINTS);
      throw invalid("endpoint", "must be " + known + ", not '" + shown(path) + "'");
    }
    return path;
  }

  /** Returns the text of the window, as the caller gave it. */
  String window() {
    return text("completion_window");
  }

  /** Returns the time until the batch expires. */
  Duration time() {
    String text = window();
    Matcher matcher = WINDOW.matcher(text);
    if (matcher.matches()) {
      long count = Long.parseLong(matcher.group(1));
      Duration time =
          matcher.group(2).equals("h") ? Duration.ofHours(count) : Duration.ofMinutes(count);
      if (time.compareTo(LONGEST_WINDOW) <= 0) {
        return time;
      }
    }
    throw invalid(
        "completion_window",
        "must be hours or minutes up to 24h, such as 24h, not '" + shown(text) + "'");
  }

  Map<String, String> metadata() {
    JsonNode given = json.path("metadata");
    if (given.isMissingNode() || given.isNull()) {
      return Map.of();
    }
    if (!given.isObject() || given.size() > MAX_METADATA) {
      throw invalid("metadata", "must be an object with at most " + MAX_METADATA + " texts");
    }
    Map<String, String> metadata = new HashMap<>();
    given
        .properties()
        .forEach(
            entry -> {
              String value = entry.getValue().asText();
              if (!entry.getValue().isTextual()
                  || entry.getKey().length() > MAX_METADATA_KEY
                  || value.length() > MAX_METADATA_VALUE) {
                throw invalid(
                    "metadata",
                    "has names of at most %d and texts of at most %d characters"
                        .formatted(MAX_METADATA_KEY, MAX_METADATA_VALUE));
              }
              metadata.put(entry.getKey(), value);
            });
    return metadata;
  }

  OptionalLong outputKeptSeconds() {
    JsonNode given = json.path("output_expires_after");
    if (given.isMissingNode() || given.isNull()) {
      return OptionalLong.empty();
    }
    JsonNode seconds = given.path("seconds");
    if (!given.path("anchor").asText("").equals("created_at")
        || !seconds.canConvertToLong()
        || seconds.asLong() < SHORTEST_KEPT
        || seconds.asLong() > LONGEST_KEPT) {
      throw invalid(
          "output_expires_after",
          "must have the anchor created_at and %d to %d seconds"
              .formatted(SHORTEST_KEPT, LONGEST_KEPT));
    }
    return OptionalLong.of(seconds.asLong());
  }

  private String text(String field) {
    return Optional.of(json.path(field))
        .filter(value -> value.isTextual() && !value.asText().isEmpty())
        .map(JsonNode::asText)
        .orElseThrow(() -> invalid(field, "is required, and must be a text"));
  }

  private static String shown(String text) {
    return text.length() > 64 ? text.substring(0, 64) + "..." : text;
  }

  private static ApiException invalid(String field, String problem) {
    return new ApiException(ErrorKind.INVALID_REQUEST, "'" + field + "' " + problem, field);
  }
}
