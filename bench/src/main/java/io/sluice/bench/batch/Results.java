package io.sluice.bench.batch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The output file and the error file of a batch, read without the product's classes. */
final class Results {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, List<Result>> byKey = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  private Results() {}

  static Results of(Path output, Path errors) throws IOException {
    var results = new Results();
    results.read(output, false);
    results.read(errors, true);
    return results;
  }

  private void read(Path file, boolean isError) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    for (String line : Files.readAllLines(file)) {
      try {
        Result result = new Result(isError, JSON.readTree(line));
        byKey.computeIfAbsent(result.key(), key -> new ArrayList<>()).add(result);
      } catch (JsonProcessingException e) {
        unreadable.add("%s: %s".formatted(file.getFileName(), e.getOriginalMessage()));
      }
    }
  }

  /** Returns all results of a line of the input. */
  List<Result> of(String key) {
    return byKey.getOrDefault(key, List.of());
  }

  /** Returns the keys of the input lines that have results. */
  List<String> keys() {
    return byKey.keySet().stream().sorted().toList();
  }

  /** Lines that are not valid results. */
  List<String> unreadable() {
    return List.copyOf(unreadable);
  }
}
