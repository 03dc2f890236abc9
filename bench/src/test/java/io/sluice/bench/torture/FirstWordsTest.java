package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.checker.Scene;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.pool.Target;
import java.util.List;
import java.util.Locale;
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

  private static InjectedFault done(long from, long until, Target target) {
    return new InjectedFault(
        from, until, "kill -9 " + target.role().name().toLowerCase(Locale.ROOT), List.of(target));
  }
}
