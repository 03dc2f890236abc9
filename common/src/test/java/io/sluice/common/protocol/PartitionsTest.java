package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionsTest {

  @Property
  void aKeysPartitionIsThatOfKafkasOwnPartitioner(
      @ForAll String key, @ForAll @IntRange(min = 1, max = 10_000) int count) {
    // Given
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);

    // When
    int partition = Partitions.of(key, count);

    // Then
    assertThat(partition).isEqualTo(BuiltInPartitioner.partitionForKey(bytes, count));
  }

  /** The test vectors in the protocol's documentation. */
  @ParameterizedTest
  @CsvSource({
    "'', 48, 9",
    "a, 48, 28",
    "request-1, 48, 31",
    "conversation-42, 48, 23",
    "Grüße, 48, 39",
    "01932b5e-8c00-7000-8000-000000000001, 48, 14",
    "01932b5e-8c00-7000-8000-000000000001, 6, 2"
  })
  void theTestVectorsHold(String key, int count, int partition) {
    assertThat(Partitions.of(key, count)).isEqualTo(partition);
  }
}
