package io.sluice.simulator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requirements of any Prometheus parser, for all versions. */
class ExpositionTest {

  private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\"\\\\n])*\"";
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(" + LABEL + "(?:," + LABEL + ")*)?})? (\\S+)");
  private static final Pattern BOUND = Pattern.compile(",?le=\"([^\"]*)\"");

  @ParameterizedTest
  @ValueSource(strings = {"0.10.2", "0.22.0", "0.30.0", "0.32.0"})
  void everyLineParsesEverySeriesAppearsOnceAndBucketsOnlyGrow(String version) {
    ServerMetrics metrics =
        new ServerMetrics(
            "a \"quoted\\\\ model",
            new EngineConfig(
                Timing.of(GpuProfile.H100), Scheduling.of(256, 8192), 8192, 27_648, 16, true),
            version,
            () -> 1.7e9);
    metrics.firstTokenAfter(30_000_000);
    metrics.firstTokenAfter(3_000_000_000L);
    metrics.httpAnswered("/v1/models", "GET", 200, 0, 400, 2_000_000);
    Map<String, String> types = new HashMap<>();
    Set<String> series = new HashSet<>();
    Map<String, double[]> lastBuckets = new HashMap<>();

    for (String line : metrics.text().lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ");
        assertThat(types.put(words[2], words[3])).as(line).isNull();
      } else if (!line.startsWith("# HELP ")) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String labels = sample.group(2) == null ? "" : sample.group(2);
        double value = Double.parseDouble(sample.group(3));
        assertThat(series.add(sample.group(1) + labels)).as(line).isTrue();
        assertThat(types).as(line).containsKey(family(types, sample.group(1)));
        if (sample.group(1).endsWith("_bucket")) {
          Matcher bound = BOUND.matcher(labels);
          assertThat(bound.find()).isTrue();
          double upTo = Double.parseDouble(bound.group(1).replace("+Inf", "Infinity"));
          double[] last =
              lastBuckets.put(sample.group(1) + bound.replaceFirst(""), new double[] {upTo, value});
          if (last != null) {
            assertThat(upTo).as(line).isGreaterThan(last[0]);
            assertThat(value).as(line).isGreaterThanOrEqualTo(last[1]);
          }
        }
      }
    }
    assertThat(types).hasSizeGreaterThan(60).containsValues("counter", "gauge", "histogram");
    assertThat(lastBuckets.values()).isNotEmpty().allMatch(last -> Double.isInfinite(last[0]));
  }

  /** Returns the name without the suffix that the samples of a distribution have. */
  private static String family(Map<String, String> types, String sample) {
    String stem = sample.replaceFirst("_(bucket|count|sum)$", "");
    boolean ofDistribution = types.getOrDefault(stem, "").matches("histogram|summary");
    return ofDistribution ? stem : sample;
  }
}
