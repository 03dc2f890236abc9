package io.sluice.simulator.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status=503",
        "status=429;retry-after=7",
        "reset",
        "hang-before-head@0.5",
        "hang-before-first-token",
        "stall-after=3",
        "cut-after=0",
        "cut-in-frame-after=5@0.001",
        "no-done",
        "error-after=1",
        "garble-after=2",
        "slow=1.5",
        "refuse-connections",
        "engine-slow=3",
        "leak=12.5",
        "metrics-stale",
        "metrics-absent",
        "metrics-slow=250",
        "gpu-temperature=91.5"
      })
  void aFaultIsParsedAndPrintedUnchanged(String text) {
    assertThat(Fault.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "explode",
        "status",
        "status=200",
        "stall-after=1.5",
        "slow=0.5",
        "reset=1",
        "no-done@0",
        "leak=1@0.5",
        "reset;retry-after=1",
        "cut-after=-1"
      })
  void anyOtherFaultTextIsRejected(String text) {
    assertThatThrownBy(() -> Fault.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aProbabilityFaultHitsThatShareOfRequestsAndIsRepeatableForASeed() {
    FaultBoard board = new FaultBoard(List.of(Fault.parse("reset@0.25")), 7);
    FaultBoard same = new FaultBoard(List.of(Fault.parse("reset@0.25")), 7);

    List<Boolean> hits = IntStream.range(0, 4000).mapToObj(i -> board.draw().isPresent()).toList();

    assertThat(hits.stream().filter(hit -> hit).count()).isBetween(900L, 1100L);
    assertThat(IntStream.range(0, 4000).mapToObj(i -> same.draw().isPresent()).toList())
        .isEqualTo(hits);
  }

  @Test
  void anEngineFaultReplacesTheOneOfItsKind() {
    FaultBoard board = new FaultBoard(List.of(), 0);

    board.add(Fault.parse("leak=1"));
    board.add(Fault.parse("leak=2"));
    board.add(Fault.parse("reset"));

    assertThat(board.faults()).extracting(Fault::toString).containsExactly("leak=2", "reset");
  }
}
