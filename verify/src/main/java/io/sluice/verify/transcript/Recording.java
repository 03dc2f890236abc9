package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The transcripts of one engine, kept to be compared with later. As a file, a line that many
 * answers have is written once, and answers name it by its number.
 *
 * @param version of the engine
 * @param maxModelLen its context in tokens
 * @param answers the lines of each answer, by the name of its request
 */
record Recording(String version, int maxModelLen, Map<String, Set<String>> answers) {

  /** Stands where an engine was not asked. */
  static final Set<String> NOT_ASKED = Set.of("not asked");

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Asks an engine everything.
   *
   * @throws IllegalStateException if it is gone before the end; names the request
   */
  static Recording of(Engine engine, Iterable<Request> requests) {
    Recorder recorder = new Recorder(engine);
    Map<String, Set<String>> answers = new LinkedHashMap<>();
    for (Request request : requests) {
      Set<String> lines = recorder.record(request);
      if (lines.equals(Recorder.NO_ANSWER) && !recorder.isThere()) {
        throw new IllegalStateException(
            "%s is gone since '%s'".formatted(engine.client().base(), request.name()));
      }
      answers.put(request.name(), lines);
    }
    return new Recording(engine.version(), engine.maxModelLen(), answers);
  }

  Set<String> answer(String request) {
    return answers.getOrDefault(request, NOT_ASKED);
  }

  /** Writes the file: one of its lines for each line and each answer, so that a change shows. */
  void write(Path file) throws IOException {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    List<String> written = new ArrayList<>();
    for (Map.Entry<String, Set<String>> answer : answers.entrySet()) {
      List<Integer> lines = new ArrayList<>();
      for (String line : answer.getValue()) {
        numbers.putIfAbsent(line, numbers.size());
        lines.add(numbers.getOrDefault(line, 0));
      }
      written.add(quoted(answer.getKey()) + ": " + lines);
    }
    List<String> lines = new ArrayList<>();
    for (String line : numbers.keySet()) {
      lines.add(quoted(line));
    }
    Files.writeString(
        file,
        "{\"version\": %s, \"max_model_len\": %d,%n\"lines\": [%n%s],%n\"answers\": {%n%s}}%n"
            .formatted(
                quoted(version),
                maxModelLen,
                String.join(",\n", lines),
                String.join(",\n", written)));
  }

  private static String quoted(String text) throws IOException {
    return JSON.writeValueAsString(text);
  }

  static Recording read(InputStream in) throws IOException {
    JsonNode root = Resources.read(in);
    Map<String, Set<String>> answers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> answer : root.path("answers").properties()) {
      Set<String> lines = new LinkedHashSet<>();
      answer
          .getValue()
          .forEach(number -> lines.add(root.path("lines").get(number.asInt()).asText()));
      answers.put(answer.getKey(), lines);
    }
    return new Recording(
        root.path("version").asText(), root.path("max_model_len").asInt(), answers);
  }
}
