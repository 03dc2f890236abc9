package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {

  @Test
  void aDerivedIdIsTheSameEachTimeAndHoldsItsTime() {
    // Given
    Instant time = Instant.ofEpochMilli(1_790_000_000_123L);

    // When
    String id = RequestId.derived(time, "seed");

    // Then
    assertThat(id).isEqualTo(RequestId.derived(time, "seed"));
    assertThat(RequestId.timeOf(id)).contains(time);
    assertThat(UUID.fromString(id).variant()).isEqualTo(2);
    assertThat(id).isNotEqualTo(RequestId.derived(time, "another seed"));
  }

  @Test
  void anIdHoldsTheTimeOfItsMaking() {
    // Given
    long before = System.currentTimeMillis();

    // When
    Instant time = RequestId.timeOf(RequestId.next()).orElseThrow();

    // Then
    assertThat(time.toEpochMilli()).isBetween(before, System.currentTimeMillis());
  }

  @Test
  void theTimeOfAKnownIdIsReadToTheMillisecond() {
    // Given: the example of RFC 9562, appendix A.6
    String id = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";

    // When, then
    assertThat(RequestId.timeOf(id)).contains(Instant.parse("2022-02-22T19:22:22Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "r-1",
        "1-1-7000-1-1",
        "919108f7-52d1-4320-9bac-f847db4148a8",
        "017F22E2-79B0-7CC3-98C4-DC0C0C07398F ",
        "017F22E279B07CC398C4DC0C0C07398F",
        "sluice.requests.8k-3-17"
      })
  void anIdThatIsNotAUuidOfVersionSevenHoldsNoTime(String id) {
    assertThat(RequestId.timeOf(id)).isEmpty();
  }

  @Property
  void anyTextCanBeAskedForItsTime(@ForAll String id) {
    RequestId.timeOf(id);
  }

  @Test
  void idsAreUnique() {
    assertThat(IntStream.range(0, 10_000).mapToObj(i -> RequestId.next())).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "0, 48", "47, 48", "5, 6"})
  void anIdCanBeDrawnForAPartition(int partition, int count) {
    assertThat(Partitions.of(RequestId.nextOn(partition, count), count)).isEqualTo(partition);
  }

  @ParameterizedTest
  @CsvSource({"-1, 48", "48, 48", "0, 0", "0, -1"})
  void noIdIsDrawnForAPartitionThatDoesNotExist(int partition, int count) {
    assertThatIllegalArgumentException().isThrownBy(() -> RequestId.nextOn(partition, count));
  }
}
