package io.sluice.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Writes a report as one JSON object. What is infinite is the string {@code "Infinity"}. */
final class ReportJson {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .build();

  private ReportJson() {}

  static void write(Path file, String command, Report report, MachineFacts machine)
      throws IOException {
    ObjectNode root = JSON.createObjectNode().put("command", command);
    ObjectNode facts = JSON.valueToTree(machine);
    root.set("machine", facts);
    ArrayNode figures = root.putArray("figures");
    report
        .groups()
        .forEach(
            (condition, group) ->
                group.figures().forEach((figure, rows) -> add(figures, condition, figure, rows)));
    report.details().ifPresent(more -> root.set("details", JSON.valueToTree(more)));
    JSON.writeValue(file.toFile(), root);
  }

  private static void add(
      ArrayNode figures, String condition, String figure, Map<String, Runs> rows) {
    rows.forEach(
        (of, runs) -> {
          ObjectNode one = figures.addObject();
          if (!condition.isEmpty()) {
            one.put("condition", condition);
          }
          one.put("figure", figure).put("of", of);
          one.put("median", runs.median()).put("least", runs.least()).put("most", runs.most());
          ArrayNode all = one.putArray("runs");
          for (double value : runs.values()) {
            all.add(value);
          }
        });
  }
}
