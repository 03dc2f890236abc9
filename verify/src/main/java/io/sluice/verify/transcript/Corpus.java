package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The requests of {@code corpus.json}: groups of cases that share a path, headers and a body.
 *
 * <p>In a group with {@code "form": "fields"}, a case lists the fields in which its body differs,
 * and {@code "$absent"} removes one; the case is sent once for each of the group's {@code ways}
 * ({@code whole}, {@code stream}). With {@code "text"} or {@code "base64"}, a case is the literal
 * body. With {@code "request"}, a case has its own method, path, headers and body.
 */
final class Corpus {

  private static final String ABSENT = "$absent";

  private final JsonNode groups;

  private Corpus(JsonNode groups) {
    this.groups = groups;
  }

  static Corpus load() {
    try (InputStream in =
        Objects.requireNonNull(Corpus.class.getResourceAsStream("corpus.json"), "corpus.json")) {
      return new Corpus(Resources.read(in).path("groups"));
    } catch (IOException e) {
      throw new UncheckedIOException("The corpus cannot be read", e);
    }
  }

  /**
   * Returns all requests in the form in which they are sent to this engine, without those that it
   * cannot serve.
   */
  List<Request> requests(Engine engine) {
    List<Request> requests = new ArrayList<>();
    for (JsonNode group : groups) {
      if (!serves(engine, group.path("needs").asText(""))) {
        continue;
      }
      group
          .path("cases")
          .properties()
          .forEach(each -> add(requests, group, each.getKey(), each.getValue(), engine));
    }
    return requests;
  }

  /**
   * Returns whether the engine can serve a group. vLLM's CPU build crashes on some requests if it
   * has adapters.
   */
  private static boolean serves(Engine engine, String needs) {
    return switch (needs) {
      case "an adapter" -> !engine.loras().isEmpty();
      case "no adapter" -> engine.loras().isEmpty();
      default -> true;
    };
  }

  private static void add(
      List<Request> requests, JsonNode group, String name, JsonNode value, Engine engine) {
    Template template = new Template(engine);
    String form = group.path("form").asText("fields");
    switch (form) {
      case "text" ->
          requests.add(
              request(
                  group,
                  group,
                  name,
                  template.filled(value.asText()).getBytes(StandardCharsets.UTF_8)));
      case "base64" ->
          requests.add(request(group, group, name, Base64.getDecoder().decode(value.asText())));
      case "request" -> {
        byte[] body =
            value.has("body")
                ? template.filled(value.get("body")).toString().getBytes(StandardCharsets.UTF_8)
                : new byte[0];
        requests.add(request(group, value, name, body));
      }
      case "fields" -> {
        for (JsonNode way : group.path("ways")) {
          ObjectNode body = merged(group.path("body"), value);
          boolean stream = way.asText().equals("stream");
          if (stream) {
            body.put("stream", true);
          }
          byte[] bytes = template.filled(body).toString().getBytes(StandardCharsets.UTF_8);
          requests.add(request(group, group, stream ? name + ", streamed" : name, bytes));
        }
      }
      default -> throw new IllegalArgumentException("form '" + form + "'");
    }
  }

  private static Request request(JsonNode group, JsonNode at, String name, byte[] body) {
    Map<String, String> headers = new HashMap<>();
    JsonNode given = at.has("headers") ? at.get("headers") : group.path("headers");
    given.properties().forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
    if (body.length > 0) {
      headers.putIfAbsent("content-type", "application/json");
    }
    return new Request(
        group.path("group").asText() + ": " + name,
        at.path("method").asText("POST"),
        at.path("path").asText(group.path("path").asText()),
        headers,
        body,
        group.has("abortAfter")
            ? OptionalInt.of(group.get("abortAfter").asInt())
            : OptionalInt.empty(),
        Request.Comparison.valueOf(group.path("compare").asText("all").toUpperCase(Locale.ROOT)));
  }

  private static ObjectNode merged(JsonNode base, JsonNode fields) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    base.properties().forEach(each -> body.set(each.getKey(), each.getValue()));
    fields
        .properties()
        .forEach(
            each -> {
              if (each.getValue().asText("").equals(ABSENT)) {
                body.remove(each.getKey());
              } else {
                body.set(each.getKey(), each.getValue());
              }
            });
    return body;
  }
}
