package io.sluice.bench.torture.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/** Makes the bodies of requests. Not thread-safe. */
public final class Prompts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Random random;

  public Prompts(Random random) {
    this.random = random;
  }

  /** Returns a streamed chat. */
  public ObjectNode chat(String model, String prompt) {
    ObjectNode body = body(model);
    body.putArray("messages").addObject().put("role", "user").put("content", prompt);
    return body;
  }

  /** Returns a streamed text completion. */
  public ObjectNode completion(String model, String prompt) {
    return body(model).put("prompt", prompt);
  }

  /** At temperature 0, so that every attempt generates the same tokens. */
  private static ObjectNode body(String model) {
    return JSON.createObjectNode().put("model", model).put("stream", true).put("temperature", 0);
  }

  /** Returns a prompt that no other request has, because it contains the request's id. */
  public String about(String id) {
    return "Request %s: tell me %d things about number %d."
        .formatted(id, 2 + random.nextInt(8), random.nextInt(100_000));
  }

  /** Asks for exactly that many tokens. */
  public ObjectNode ofLength(ObjectNode body, int from, int to) {
    return body.put("ignore_eos", true).put("max_tokens", from + random.nextInt(to - from));
  }

  public ObjectNode atMost(ObjectNode body, int from, int to) {
    return body.put("max_tokens", from + random.nextInt(to - from));
  }

  static void schema(ObjectNode body) {
    body.put("max_tokens", 200);
    ObjectNode format = body.putObject("response_format").put("type", "json_schema");
    ObjectNode schema = format.putObject("json_schema").put("name", "place").putObject("schema");
    schema.put("type", "object").putArray("required").add("city").add("people");
    ObjectNode properties = schema.putObject("properties");
    properties.putObject("city").put("type", "string");
    properties.putObject("people").put("type", "integer");
  }
}
