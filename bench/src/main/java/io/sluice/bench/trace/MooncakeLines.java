package io.sluice.bench.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Reads one object per line: {@code timestamp} in milliseconds, {@code input_length}, {@code
 * output_length}, and {@code hash_ids}, one per started block of the prompt.
 */
final class MooncakeLines {
  private static final ObjectMapper JSON = new ObjectMapper();

  private MooncakeLines() {}

  static List<TraceRequest> read(String name, List<String> lines) throws BadTraceException {
    List<TraceRequest> requests = new ArrayList<>(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        requests.add(request(name, i + 1, lines.get(i)));
      }
    }
    requests.sort(Comparator.comparingLong(TraceRequest::arrivalNanos));
    return requests;
  }

  private static TraceRequest request(String name, int line, String text) throws BadTraceException {
    JsonNode json;
    try {
      json = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw BadTraceException.at(name, line, "is not JSON: " + e.getOriginalMessage());
    }
    long millis = number(name, line, json, "timestamp", 0);
    int prompt = (int) number(name, line, json, "input_length", 1);
    int output = (int) number(name, line, json, "output_length", 1);
    return new TraceRequest(
        millis * 1_000_000, prompt, output, blocks(name, line, json.path("hash_ids"), prompt));
  }

  private static long number(String name, int line, JsonNode json, String field, long least)
      throws BadTraceException {
    JsonNode value = json.path(field);
    if (!value.isIntegralNumber() || value.asLong() < least || value.asLong() > Integer.MAX_VALUE) {
      throw BadTraceException.at(
          name,
          line,
          "has %s for '%s', which must be a number from %d up"
              .formatted(value.isMissingNode() ? "nothing" : value, field, least));
    }
    return value.asLong();
  }

  private static long[] blocks(String name, int line, JsonNode ids, int promptTokens)
      throws BadTraceException {
    int expected = Math.ceilDiv(promptTokens, Trace.BLOCK_TOKENS);
    if (!ids.isArray() || ids.size() != expected) {
      throw BadTraceException.at(
          name,
          line,
          "must have %d hash_ids, one per started %d tokens of the prompt"
              .formatted(expected, Trace.BLOCK_TOKENS));
    }
    long[] blocks = new long[expected];
    for (int i = 0; i < expected; i++) {
      if (!ids.get(i).isIntegralNumber()) {
        throw BadTraceException.at(
            name, line, "has a hash id that is not an integer: " + ids.get(i));
      }
      blocks[i] = ids.get(i).asLong();
    }
    return blocks;
  }
}
