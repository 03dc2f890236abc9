package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.report.Report;
import io.sluice.bench.stat.Samples;
import io.sluice.bench.torture.checker.Evidence;
import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.clients.HttpReport;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.config.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The result of a run: counts, pauses and violations. Not thread-safe. */
final class TortureReport {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SHOWN_OF_KIND = 6;
  private static final int RECORDS_SHOWN = 8;

  private final TortureRun.Options options;
  private final Map<String, Map<String, Integer>> ends = new TreeMap<>();
  private final Map<String, Integer> faults = new TreeMap<>();
  private final List<Violation> violations = new ArrayList<>();
  private final Map<String, String> unsent = new TreeMap<>();
  private final ResumePauses pauses;
  private final FirstRecordDelays firstRecordDelays;
  private Optional<HttpReport> http = Optional.empty();
  private int requests;
  private int resumes;
  private int restarts;
  private int attempts;
  private long tokens;
  private long wastedTokens;
  private int reattached;
  private int hostile;
  private int hostileRefused;

  TortureReport(TortureRun.Options options, List<InjectedFault> done) {
    this.options = options;
    this.pauses = new ResumePauses(done);
    this.firstRecordDelays = new FirstRecordDelays(done);
    done.forEach(fault -> faults.merge(fault.label(), 1, Integer::sum));
  }

  /** Counts a request and what was found wrong with it. */
  void count(Evidence evidence, List<Violation> found) {
    PlannedRequest request = evidence.request();
    IndependentFold reading = evidence.own().reading();
    String end = evidence.log().seenMillis().isEmpty() ? "unsent" : end(evidence);
    ends.computeIfAbsent(request.kind().name().toLowerCase(Locale.ROOT), kind -> new TreeMap<>())
        .merge(end, 1, Integer::sum);
    requests++;
    resumes += reading.resumes();
    restarts += reading.restarts();
    attempts += reading.attempts();
    tokens += reading.tokens();
    wastedTokens += reading.wastedTokens();
    if (request.isStreamed() && reading.restarts() == 0) {
      reading.pauses().forEach(pauses::add);
    }
    firstRecordDelays.add(evidence);
    violations.addAll(found);
  }

  private static String end(Evidence evidence) {
    IndependentFold own = evidence.own().reading();
    IndependentFold atUsualTopic = evidence.atUsualTopic().reading();
    return own.errorCode()
        .or(() -> own.isOver() ? Optional.of("completed") : Optional.empty())
        .or(() -> atUsualTopic.errorCode().map(code -> code + " at the usual topic"))
        .orElse("none");
  }

  /** Counts a hostile record that Kafka accepted. */
  void countHostile(List<Violation> found) {
    hostile++;
    violations.addAll(found);
  }

  void hostileRefused(int records) {
    hostileRefused = records;
  }

  /** Adds a violation of the pool as a whole. */
  void violated(String what) {
    violations.add(new Violation("-", "POOL", what, true, List.of()));
  }

  /** Adds what the HTTP clients saw. */
  void http(HttpReport report) {
    http = Optional.of(report);
    violations.addAll(report.violations());
  }

  void reattached(int readers) {
    reattached = readers;
  }

  void unsent(Map<String, String> requestsAndWhy) {
    unsent.putAll(requestsAndWhy);
  }

  List<Violation> violations() {
    return List.copyOf(violations);
  }

  int requests() {
    return requests;
  }

  int faults() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  void print(PrintWriter out) {
    TextTable table = new TextTable().left("requests", "ends");
    ends.forEach((kind, counts) -> table.row(kind, shown(counts)));
    out.printf("%nseed %d%n%n%s", options.seed(), table);
    out.printf("%nfaults: %s%n", shown(faults));
    out.printf(
        "%nrequests %d, faults %d, attempts %d, resumes %d, restarts %d, tokens %d, generated twice"
            + " or discarded %d%n",
        requests, faults(), attempts, resumes, restarts, tokens, wastedTokens);
    out.printf(
        "readers that joined in mid-stream %d, sends that Kafka refused %d, hostile records"
            + " accepted %d, refused %d%n",
        reattached, unsent.size(), hostile, hostileRefused);
    http.ifPresent(report -> report.print(out));
    options.notInjected().ifPresent(what -> out.printf("not injected: %s%n", what));
    print(out, "pause of resumed streams by cause, ms", pauses.byCause());
    print(out, "first record of requests sent during, ms", firstRecordDelays.byFault());
    out.printf("%nviolations %d%n", violations.size());
    violations.stream()
        .collect(Collectors.groupingBy(Violation::kind, TreeMap::new, Collectors.toList()))
        .forEach((kind, those) -> print(out, kind, those));
    out.flush();
  }

  private static void print(PrintWriter out, String title, Map<String, Samples> samples) {
    TextTable table = new TextTable().left(title).right("n", "p50", "p99");
    samples.forEach(
        (what, those) -> table.row(what, those.count(), millis(those, 50), millis(those, 99)));
    out.printf("%n%s", table);
  }

  private static void print(PrintWriter out, String kind, List<Violation> violations) {
    out.printf("%n%s: %d%n", kind, violations.size());
    violations.stream().limit(SHOWN_OF_KIND).forEach(violation -> print(out, violation));
  }

  private static void print(PrintWriter out, Violation violation) {
    out.printf("  %s: %s%n", violation.requestId(), violation.what());
    int from = Math.max(0, violation.records().size() - RECORDS_SHOWN);
    violation.records().stream().skip(from).forEach(line -> out.printf("      %s%n", line));
  }

  private static String millis(Samples samples, double percentile) {
    return String.format(Locale.ROOT, "%.0f", samples.percentile(percentile));
  }

  private static String shown(Map<String, Integer> counts) {
    List<String> all = new ArrayList<>();
    counts.forEach((what, count) -> all.add(what + " " + count));
    return String.join(", ", all);
  }

  /** Returns the pauses; everything else as details. */
  Report figures() {
    var report = new Report().details(toJson());
    pauses
        .byCause()
        .forEach(
            (cause, millis) ->
                report
                    .group("pause of resumed streams, by cause")
                    .add("p50, ms", cause, millis.percentile(50))
                    .add("p99, ms", cause, millis.percentile(99)));
    firstRecordDelays
        .byFault()
        .forEach(
            (fault, millis) ->
                report
                    .group("first record of requests that were sent during a fault")
                    .add("p50, ms", fault, millis.percentile(50))
                    .add("p99, ms", fault, millis.percentile(99)));
    return report;
  }

  private ObjectNode toJson() {
    ObjectNode json = JSON.createObjectNode();
    json.put("seed", options.seed()).put("minutes", options.length().toMillis() / 60_000.0);
    json.put("requests", requests).put("attempts", attempts);
    json.put("resumes", resumes).put("restarts", restarts);
    json.put("tokens", tokens).put("wasted_tokens", wastedTokens).put("reattached", reattached);
    json.put("hostile", hostile).put("hostile_refused", hostileRefused);
    json.put("not_injected", options.notInjected().orElse(""));
    json.set("ends", JSON.valueToTree(ends));
    json.set("faults", JSON.valueToTree(faults));
    json.set("unsent", JSON.valueToTree(unsent));
    put(json.putArray("pauses"), "cause", pauses.byCause());
    put(json.putArray("first_records"), "during", firstRecordDelays.byFault());
    http.ifPresent(report -> report.to(json.putObject("http")));
    json.set("violations", JSON.valueToTree(violations));
    return json;
  }

  private static void put(ArrayNode array, String key, Map<String, Samples> samples) {
    samples.forEach(
        (what, those) ->
            array
                .addObject()
                .put(key, what)
                .put("count", those.count())
                .put("p50_ms", those.percentile(50))
                .put("p99_ms", those.percentile(99)));
  }
}
