package io.sluice.router.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReport.Demand;
import io.sluice.fleet.peers.RouterReports.Reading;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.demand.DemandKey;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignalsTest {
  private static final ModelCatalog CATALOG = ModelCatalog.parse("llama=8192,mini=4096");
  private static final FleetSnapshot FLEET =
      new FleetSnapshot(
          Map.of("w", new WorkerView(new TestWorker("w").tier("fast").snapshot(), 0)), true);

  private final AtomicLong nanos = new AtomicLong();
  private final KnownNames names =
      new KnownNames(
          CATALOG,
          new ServedModels(CATALOG, Duration.ofSeconds(10), () -> FLEET, nanos::get),
          List.of("fast", "precise"));
  private final Signals signals = new Signals(names, () -> FLEET, nanos::get);

  @Test
  void whatTwoRoutersReportIsAddedUp() throws Exception {
    // When
    signals.heard(
        List.of(
            reading("a", 0, 2, 700, demand("fast", false, 100, 40, 30_000)),
            reading("b", 2, 4, 200, demand("precise", false, 11, 0, 20_500))));

    // Then
    JsonNode json = json();
    assertThat(json.at("/age_millis").asLong()).isEqualTo(700);
    assertThat(json.at("/routers").asInt()).isEqualTo(2);
    assertThat(json.at("/partitions").asInt()).isEqualTo(4);
    assertThat(json.at("/interactive/tokens").asLong()).isEqualTo(151);
    JsonNode model = json.at("/models/llama");
    assertThat(model.at("/workers").asInt()).isEqualTo(1);
    assertThat(model.at("/interactive/waiting_tokens").asLong()).isEqualTo(111);
    assertThat(model.at("/interactive/running_tokens").asLong()).isEqualTo(40);
    assertThat(model.at("/interactive/slack_seconds").asDouble()).isEqualTo(20.5);
    assertThat(model.at("/interactive/drain_seconds").asDouble()).isEqualTo(5.55);
    assertThat(model.at("/tiers/fast/interactive/tokens").asLong()).isEqualTo(140);
    assertThat(model.at("/tiers/precise/interactive/tokens").asLong()).isEqualTo(11);
  }

  /** A scaler that finds no value takes it for an error. */
  @Test
  void modelsOfTheCatalogAreThereWithoutDemandAndWithoutWorkers() throws Exception {
    signals.heard(List.of(reading("a", 0, 4, 0)));

    for (String place : List.of("", "/models/mini", "/models/mini/tiers/precise")) {
      for (String kind : List.of("/interactive", "/bulk")) {
        JsonNode traffic = json().at(place + kind);
        assertThat(traffic.path("tokens").isIntegralNumber()).isTrue();
        assertThat(traffic.path("tokens").asLong()).isZero();
        assertThat(traffic.path("needed_tokens_per_second").asLong()).isZero();
        assertThat(traffic.path("drain_seconds").asDouble()).isZero();
        assertThat(traffic.has("slack_seconds")).isFalse();
      }
    }
  }

  /** A dead router's report is gone after five seconds; its load must not look like none. */
  @Test
  void aSumThatLacksAPartitionOrMayHaveOneTwiceIsNotGiven() {
    // When
    signals.heard(List.of(reading("a", 0, 3, 0)));

    // Then
    assertThat(reason()).isEqualTo("1 of 4 partitions are in no router's report; 1 routers report");

    // When
    signals.heard(List.of(reading("a", 0, 3, 0), reading("b", 2, 4, 0)));

    // Then
    assertThat(reason()).contains("1 partitions are in the reports of two routers");

    // When
    signals.heard(List.of(reading("a", 0, 2, 0), reading("b", 2, 4, 0)));

    // Then
    assertThat(signals.answer()).isInstanceOf(Signals.Answer.Known.class);
  }

  @Test
  void withoutAReadingOfTheReportsForThreeSecondsNothingIsKnown() {
    assertThat(reason()).contains("check Redis");

    signals.heard(List.of(reading("a", 0, 4, 0)));
    assertThat(signals.answer()).isInstanceOf(Signals.Answer.Known.class);

    nanos.addAndGet(Duration.ofMillis(3_001).toNanos());
    assertThat(reason()).contains("check Redis");
  }

  @Test
  void theAnswerIsMadeOncePerReadingHoweverOftenItIsAskedFor() {
    signals.heard(List.of(reading("a", 0, 4, 0)));

    assertThat(signals.answer()).isSameAs(signals.answer());
  }

  @Test
  void modelsThatCallersInventShareOneName() {
    // Given
    var waiting = new DemandMeter();
    for (int invented = 0; invented < 1_000; invented++) {
      waiting.add(new DemandKey("invented-" + invented, "fast", false), 10, 60_000);
    }
    waiting.add(new DemandKey("mini", "fast", false), 5, 60_000);
    var load =
        new RouterLoad(
            names, List.of(waiting), new DemandMeter(), new AnsweredTokens(nanos::get), () -> 0L);

    // Then
    assertThat(load.demand())
        .filteredOn(demand -> demand.waitingRequests() > 0)
        .extracting(Demand::model, Demand::waitingTokens)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("other", 10_000L),
            org.assertj.core.groups.Tuple.tuple("mini", 5L));
  }

  private static Demand demand(
      String tier, boolean bulk, long waiting, long running, long slackMillis) {
    return new Demand(
        "llama", tier, bulk, 1, waiting, 1, running, 10, 1, OptionalLong.of(slackMillis));
  }

  private static Reading reading(String id, int from, int to, long ageMillis, Demand... demand) {
    List<Integer> partitions = IntStream.range(from, to).boxed().toList();
    return new Reading(
        new RouterReport(
            id, List.of(), Map.of(), List.of(), List.of(), partitions, 4, List.of(demand)),
        Duration.ofMillis(ageMillis));
  }

  private JsonNode json() throws Exception {
    return Json.tree(((Signals.Answer.Known) signals.answer()).json());
  }

  private String reason() {
    return ((Signals.Answer.Unknown) signals.answer()).reason();
  }
}
