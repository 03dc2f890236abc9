package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The recorded transcripts of one engine, for later comparisons. In a file, each distinct line is
 * stored once, and answers refer to it by its number.
 *
 * @param version the version of the engine
 * @param maxModelLen its context in tokens
 * @param answers the lines of each answer, by the name of its request
 */
record Recording(String version, int maxModelLen, Map<String, Set<String>> answers) {

  /** The record of a request that was not sent. */
  static final Set<String> NOT_ASKED = Set.of("not asked");

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Records the answers of an engine to all requests.
   *
   * @throws IllegalStateException if the engine stops answering; the message names the request
   */
  static Recording of(Engine engine, Iterable<Request> requests) {
    Recorder recorder = new Recorder(engine);
    Map<String, Set<String>> answers = new LinkedHashMap<>();
    for (Request request : requests) {
      Set<String> lines = recorder.record(request);
      if (lines.equals(Recorder.NO_ANSWER) && !recorder.isThere()) {
        throw new IllegalStateException(
            "%s stopped answering at the request '%s'."
                .formatted(engine.client().base(), request.name()));
      }
      answers.put(request.name(), lines);
    }
    return new Recording(engine.version(), engine.maxModelLen(), answers);
  }

  Set<String> answer(String request) {
    return answers.getOrDefault(request, NOT_ASKED);
  }

  /**
   * Writes the file with one line for each recorded line and each answer, so that changes are
   * visible in a diff.
   */
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
        "{\"version\": %s, \"max_model_len\": %s,%n\"lines\": [%n%s],%n\"answers\": {%n%s}}%n"
            .formatted(
                quoted(version),
                maxModelLen,
                String.join(",\n", lines),
                String.join(",\n", written)));
  }

  private static String quoted(String text) throws IOException {
    return JSON.writeValueAsString(text);
  }
}
