package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstWordsTest {
  private final FirstWords words =
      new FirstWords(
          List.of(
              done(Scene.SENT - 1_000, Scene.SENT + 5_000, Target.engine(1)),
              done(Scene.SENT - 500, Scene.SENT + 100, Target.worker(1)),
              done(Scene.SENT + 10, Scene.SENT + 5_000, Target.broker(1))));

  @Test
  void a_wait_counts_for_the_blow_that_began_last_before_it() {
    words.add(Scene.answered(RequestKind.CHAT).evidence());

    assertThat(words.byBlow()).containsOnlyKeys("kill -9 worker");
    assertThat(words.byBlow().get("kill -9 worker").percentile(50)).isEqualTo(500);
  }

  @Test
  void bulk_and_what_only_blows_send_do_not_count() {
    words.add(Scene.answered(RequestKind.BULK).evidence());
    words.add(Scene.answered(RequestKind.ASTRAY).evidence());

    assertThat(words.byBlow()).isEmpty();
  }

  private static Adversary.Done done(long from, long until, Target target) {
    return new Adversary.Done(from, until, new Kill(List.of(target), Duration.ZERO));
  }
}
