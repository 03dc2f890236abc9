package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The known and accepted differences in {@code decisions.json}. */
final class Decisions {

  /**
   * One decision.
   *
   * @param reason why the difference is accepted
   * @param requests the names of the requests that it applies to
   * @param theirs lines that only the verified engine may have
   * @param ours lines that only the reference may have
   */
  record Decision(String reason, Pattern requests, List<Pattern> theirs, List<Pattern> ours) {}

  private final List<Decision> decisions;
  private final Set<String> used = new TreeSet<>();

  Decisions(List<Decision> decisions) {
    this.decisions = List.copyOf(decisions);
  }

  static Decisions load() {
    try (InputStream in =
        Objects.requireNonNull(
            Decisions.class.getResourceAsStream("decisions.json"), "decisions.json")) {
      return of(Resources.read(in));
    } catch (IOException e) {
      throw new UncheckedIOException("The decided differences cannot be read", e);
    }
  }

  static Decisions of(JsonNode list) {
    List<Decision> decisions = new ArrayList<>();
    for (JsonNode each : list) {
      decisions.add(
          new Decision(
              each.path("reason").asText(),
              Pattern.compile(each.path("requests").asText(".*")),
              patterns(each.path("theirs")),
              patterns(each.path("ours"))));
    }
    return new Decisions(decisions);
  }

  private static List<Pattern> patterns(JsonNode list) {
    List<Pattern> patterns = new ArrayList<>();
    list.forEach(item -> patterns.add(Pattern.compile(item.asText())));
    return patterns;
  }

  /** Returns the part of a request's difference that is not decided. */
  Difference undecided(String request, Difference difference) {
    Set<String> theirs = new LinkedHashSet<>(difference.theirs());
    Set<String> ours = new LinkedHashSet<>(difference.ours());
    for (Decision decision : decisions) {
      if (decision.requests().matcher(request).matches()) {
        boolean some = theirs.removeIf(line -> matches(decision.theirs(), line));
        some |= ours.removeIf(line -> matches(decision.ours(), line));
        if (some) {
          used.add(decision.reason());
        }
      }
    }
    return new Difference(theirs, ours);
  }

  /** Returns the reasons of the decisions that have been applied. */
  Set<String> used() {
    return used;
  }

  List<Decision> all() {
    return decisions;
  }

  private static boolean matches(List<Pattern> patterns, String line) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(line).matches());
  }
}
