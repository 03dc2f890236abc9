package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.EngineAnswer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An answer as lines that can be compared with those of another engine: the status, the headers
 * that clients use, and the {@link Shape} of the body or of each frame of a stream. Consecutive
 * frames of the same shape are merged, since their number depends on the model.
 */
final class Transcript {

  /** The headers that clients use. */
  private static final List<String> HEADERS =
      List.of(
          "content-type",
          "transfer-encoding",
          "content-encoding",
          "allow",
          "location",
          "retry-after",
          "www-authenticate",
          "vary",
          "server",
          "cache-control",
          "connection",
          "x-request-id",
          "access-control-allow-origin",
          "access-control-allow-methods",
          "access-control-allow-headers",
          "access-control-allow-credentials");

  /** A sample or a comment of a metrics page. */
  private static final Pattern METRIC =
      Pattern.compile("(# (TYPE|HELP) (?<told>.*))|(?<name>[\\w:]+)(\\{(?<labels>.*)})? \\S+");

  private static final Pattern LABEL_VALUE = Pattern.compile("=\"(?:[^\"\\\\]|\\\\.)*\"");

  private Transcript() {}

  static Set<String> of(EngineAnswer answer, Wording wording, Request.Comparison comparison) {
    Set<String> lines = new LinkedHashSet<>();
    lines.add("status: " + answer.status());
    if (comparison == Request.Comparison.STATUS) {
      return lines;
    }
    for (String header : HEADERS) {
      String value = answer.header(header).replaceFirst("https?://[^/]+", "");
      if (!value.isEmpty()) {
        lines.add("header " + header + ": " + value);
      }
    }
    String type = answer.header("content-type");
    if (type.startsWith("text/event-stream")) {
      addEvents(lines, answer.body(), wording, comparison);
    } else if (type.startsWith("application/json")) {
      lines.addAll(Shape.of(answer.json(), wording, comparison));
    } else if (answer.body().startsWith("# HELP")) {
      addMetrics(lines, answer.body());
    } else {
      lines.add("body: " + wording.plain(answer.body().strip(), comparison));
    }
    return lines;
  }

  /**
   * The frames of each choice are a separate sequence, because the order in which choices alternate
   * is random.
   */
  private static void addEvents(
      Set<String> lines, String body, Wording wording, Request.Comparison comparison) {
    Map<String, List<Set<String>>> sequences = new LinkedHashMap<>();
    for (String event : body.strip().split("\n\n", -1)) {
      List<Set<String>> runs = sequences.computeIfAbsent(choice(event), _ -> new ArrayList<>());
      Set<String> shape = event(event, wording, comparison);
      if (runs.isEmpty() || !runs.getLast().equals(shape)) {
        runs.add(shape);
      }
    }
    for (Map.Entry<String, List<Set<String>>> sequence : sequences.entrySet()) {
      String kind = sequence.getKey().isEmpty() ? "event " : "frame ";
      List<Set<String>> runs = sequence.getValue();
      for (int run = 0; run < runs.size(); run++) {
        // Only the last one gets this name, since the number of frames before it can be random too.
        String name = kind + (run == runs.size() - 1 ? "last" : String.valueOf(run + 1));
        runs.get(run).forEach(line -> lines.add(name + " " + line));
      }
    }
  }

  /** Returns the index of a frame's choice; empty for a frame that belongs to all choices. */
  private static String choice(String event) {
    return EngineAnswer.json(event.replaceFirst("^data: ", "")).at("/choices/0/index").asText("");
  }

  private static Set<String> event(String event, Wording wording, Request.Comparison comparison) {
    if (!event.startsWith("data: {")) {
      return Set.of(event.strip());
    }
    String text = event.substring("data: ".length());
    JsonNode json = EngineAnswer.json(text);
    Set<String> shape = new LinkedHashSet<>(Shape.of(json, wording, comparison));
    if (text.startsWith("{\"error\": ")) {
      shape.add("spaced");
    }
    return shape;
  }

  private static void addMetrics(Set<String> lines, String page) {
    for (String line : page.strip().split("\n", -1)) {
      Matcher metric = METRIC.matcher(line);
      if (!metric.matches()) {
        lines.add("metrics line: " + line);
      } else if (metric.group("told") != null) {
        lines.add("metrics " + line);
      } else {
        String labels = metric.group("labels");
        lines.add(
            "metrics "
                + metric.group("name")
                + " {"
                + (labels == null ? "" : LABEL_VALUE.matcher(labels).replaceAll(""))
                + "}");
      }
    }
  }
}
