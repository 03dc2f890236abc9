package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotParserTest {
  private static final WorkerSnapshot SNAPSHOT =
      RedisFleetRegistryTest.snapshot("gpu-1", "boot-1", 41);

  private final SnapshotParser parser = new SnapshotParser();

  @Provide
  Arbitrary<List<WorkerSnapshot>> snapshots() {
    return Combinators.combine(
            Arbitraries.of("a", "b", "a\"b", "a\\", "\",\"sequence\":1,\"x\":\""),
            Arbitraries.of("1", "2"),
            Arbitraries.longs().between(0, 3),
            Arbitraries.integers().between(0, 1),
            Arbitraries.doubles().between(0, 1))
        .as(
            (id, incarnation, sequence, running, kv) ->
                WorkerSnapshotBuilder.builder(SNAPSHOT)
                    .id(id)
                    .incarnation(incarnation)
                    .sequence(sequence)
                    .running(running)
                    .kvUsage(OptionalDouble.of(Math.round(kv)))
                    .held(Map.of("\"sequence\":7,", running))
                    .build())
        .list()
        .ofMaxSize(20);
  }

  @Property(tries = 300)
  void everySnapshotIsParsedAsIfItWereTheFirst(
      @ForAll("snapshots") List<WorkerSnapshot> snapshots) {
    snapshots.forEach(snapshot -> assertThat(parser.parse(snapshot.toJson())).isEqualTo(snapshot));
  }

  @Test
  void whatIsKnownIsNotParsedAgain() {
    // Given
    WorkerSnapshot first = parser.parse(SNAPSHOT.toJson());

    // When
    WorkerSnapshot second = parser.parse(SNAPSHOT.withSequence(42).toJson());

    // Then
    assertThat(parser.parse(SNAPSHOT.toJson())).isSameAs(first);
    assertThat(second).isEqualTo(SNAPSHOT.withSequence(42));
    assertThat(second.traits()).isSameAs(first.traits());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "17",
        "{}",
        "{\"id\":\"gpu-1\",\"incarnation\":\"boot-1\",\"sequence\":1,",
        "{\"id\":\"gpu-1\",\"incarnation\":\"boot-1\",\"sequence\":1,\"models\":",
        "{\"id\":\"gpu-1\",\"incarnation\":\"boot-1\",\"sequence\":99999999999999999999,"
      })
  void garbageIsRefusedEachTime(String garbage) {
    for (int time = 0; time < 2; time++) {
      assertThatIllegalArgumentException().isThrownBy(() -> parser.parse(garbage));
    }
  }
}
