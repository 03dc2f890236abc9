package io.sluice.bench.fleet.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(2).toNanos(), Duration.ofSeconds(8).toNanos());

  @Test
  void equalSeedsGiveEqualArrivalsAndOtherSeedsGiveOthers() {
    List<FleetRequest> one = Workload.of(trace(), 5, LENGTH, 1);

    assertThat(arrivals(Workload.of(trace(), 5, LENGTH, 1))).isEqualTo(arrivals(one));
    assertThat(arrivals(Workload.of(trace(), 5, LENGTH, 2))).isNotEqualTo(arrivals(one));
    assertThat(one)
        .hasSize(50)
        .isSortedAccordingTo((a, b) -> Long.compare(a.arrivalNanos(), b.arrivalNanos()));
  }

  @Test
  void copiesOfATraceShareNoBlocks() {
    double threeCopies = 3 * trace().rate();
    List<FleetRequest> requests = Workload.of(trace(), threeCopies, LENGTH, 1);

    Set<Long> firstBlocks = new HashSet<>();
    requests.forEach(request -> firstBlocks.add(request.blocks()[0]));
    assertThat(firstBlocks).hasSize(3);
  }

  @Test
  void aSessionIsTheOneThatTheTraceNamesAndOneCopysAlone() {
    // Given two sessions that share all of their blocks
    long[] blocks = {0, 1, 2};
    List<TraceRequest> requests =
        IntStream.range(0, 200)
            .mapToObj(i -> new TraceRequest(i * 1_000_000_000L, 1500, 20, blocks, 1 + i % 2))
            .toList();
    Trace trace = new Trace("test", requests, true);

    // When
    List<FleetRequest> run = Workload.of(trace, 3 * trace.rate(), LENGTH, 1);

    // Then
    assertThat(run.stream().map(FleetRequest::session).distinct()).hasSize(2 * 3);
  }

  private static List<Long> arrivals(List<FleetRequest> requests) {
    return requests.stream().map(FleetRequest::arrivalNanos).toList();
  }

  /** Five sessions in turn, one request a second, that share their first block. */
  private static Trace trace() {
    List<TraceRequest> requests = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long session = 1 + i % 5;
      requests.add(
          new TraceRequest(i * 1_000_000_000L, 1500, 20, new long[] {0, session, 100 + i}));
    }
    return new Trace("test", requests, true);
  }
}
