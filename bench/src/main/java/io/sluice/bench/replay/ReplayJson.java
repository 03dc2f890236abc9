package io.sluice.bench.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes a comparison as one JSON object: times in milliseconds, shares from 0 to 1. */
final class ReplayJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReplayJson() {}

  static void write(Path file, List<String> about, ReplayComparison comparison) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    about.forEach(root.putArray("about")::add);
    add(root.putObject("recorded"), comparison.recorded());
    add(root.putObject("model"), comparison.model());
    comparison.whatIf().ifPresent(figures -> add(root.putObject("what_if"), figures));
    ObjectNode error = root.putObject("ttft_error_of_single_requests");
    error.put("requests", comparison.error().requests());
    error.put("median_ms", comparison.error().medianMillis());
    error.put("p95_ms", comparison.error().p95Millis());
    JSON.writeValue(file.toFile(), root);
  }

  private static void add(ObjectNode json, Figures figures) {
    for (Row row : Row.values()) {
      figures.of(row).ifPresent(value -> json.put(row.key(), value));
    }
  }
}
