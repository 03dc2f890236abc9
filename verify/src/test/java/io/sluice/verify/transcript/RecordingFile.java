package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Reads the file of a {@link Recording}. */
final class RecordingFile {
  private RecordingFile() {}

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
