package io.sluice.bench.batch;

import java.util.ArrayList;
import java.util.List;

/** What was found in the result files. Not thread-safe. */
final class Verdict {
  private final List<String> findings = new ArrayList<>();
  private int equal;
  private int different;
  private int expectedErrors;
  private int unexpectedErrors;
  private int missing;
  private int doubled;
  private long tokens;

  void equal(int tokensOfIt) {
    equal++;
    tokens += tokensOfIt;
  }

  void different(PlannedLine line, String what) {
    different++;
    found(line, what);
  }

  void expectedError() {
    expectedErrors++;
  }

  void unexpectedError(PlannedLine line, String what) {
    unexpectedErrors++;
    found(line, what);
  }

  void missing(PlannedLine line) {
    missing++;
    found(line, "has no result");
  }

  void doubled(PlannedLine line, int results) {
    doubled++;
    found(line, "has %d results".formatted(results));
  }

  void found(PlannedLine line, String what) {
    findings.add("line %d (%s) %s".formatted(line.number(), line.kind(), what));
  }

  void found(String what) {
    findings.add(what);
  }

  int equal() {
    return equal;
  }

  /** Returns all violations. */
  List<String> findings() {
    return List.copyOf(findings);
  }

  /** Returns the counts, as text. */
  String shown() {
    return """
    answers           equal %d, different %d
    errors            expected %d, unexpected %d
    lines             missing %d, doubled %d
    tokens            %d
    """
        .formatted(equal, different, expectedErrors, unexpectedErrors, missing, doubled, tokens);
  }
}
