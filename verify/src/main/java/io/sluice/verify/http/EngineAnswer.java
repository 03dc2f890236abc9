package io.sluice.verify.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer of an engine.
 *
 * @param status the HTTP status
 * @param headers all headers of the answer
 * @param body the text of the body; a stream is read to its end
 */
public record EngineAnswer(int status, HttpHeaders headers, String body) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DATA = "data: ";
  private static final String DONE = "[DONE]";

  /** Returns the first value of a header; empty if there is none. */
  public String header(String name) {
    return headers.firstValue(name).orElse("");
  }

  /** Returns the body as JSON; missing if it is not JSON. */
  public JsonNode json() {
    return json(body);
  }

  /** Returns the JSON texts of all frames of a stream, without the end marker. */
  public List<String> frames() {
    List<String> frames = new ArrayList<>();
    for (String event : body.split("\n\n", -1)) {
      if (event.startsWith(DATA) && !event.substring(DATA.length()).equals(DONE)) {
        frames.add(event.substring(DATA.length()));
      }
    }
    return frames;
  }

  /** Returns the concatenated texts of a field in all frames. */
  public String joined(String pointer) {
    StringBuilder text = new StringBuilder();
    frames().forEach(frame -> text.append(json(frame).at(pointer).asText("")));
    return text.toString();
  }

  /** Parses a text as JSON; missing if it is not JSON. */
  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
