package io.sluice.gateway.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class StreamCursorsTest {
  private final StreamCursors cursors =
      new StreamCursors(
          Clock.fixed(Instant.parse("2024-10-09T00:03:25Z"), ZoneOffset.UTC),
          new SplittableRandom(1));

  @Example
  void aCursorIsTheNumberOfThePresentInterval() {
    assertThat(cursors.after(Optional.empty())).isEqualTo("10");
    assertThat(cursors.after(Optional.of("9"))).isEqualTo("10");
  }

  @Property
  void aCursorNeverComesAgain(@ForAll @LongRange(min = 0, max = 999_999_999_999_999L) long seen) {
    long next = Long.parseLong(cursors.after(Optional.of(Long.toString(seen))));

    assertThat(next).isGreaterThan(seen).isLessThanOrEqualTo(Math.max(10, seen + 180));
  }
}
