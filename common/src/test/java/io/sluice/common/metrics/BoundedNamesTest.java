package io.sluice.common.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedNamesTest {
  @Test
  void theFirstNamesKeepTheirValueAndAllOthersShareOne() {
    var names = new BoundedNames(2);

    assertThat(names.of("a")).isEqualTo("a");
    assertThat(names.of("b")).isEqualTo("b");
    assertThat(names.of("c")).isEqualTo(BoundedNames.OTHER);
    assertThat(names.of("a")).isEqualTo("a");
  }

  @Test
  void theBoundHoldsWhenManyThreadsBringNames() {
    var names = new BoundedNames(20);

    Set<String> values =
        IntStream.range(0, 10_000)
            .parallel()
            .mapToObj(i -> names.of("tenant-" + i))
            .collect(Collectors.toSet());

    assertThat(values).hasSize(21).contains(BoundedNames.OTHER);
  }
}
