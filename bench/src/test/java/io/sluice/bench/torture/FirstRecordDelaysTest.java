package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.checker.RecordedRequest;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.pool.Target;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class FirstRecordDelaysTest {
  private final FirstRecordDelays words =
      new FirstRecordDelays(
          List.of(
              done(RecordedRequest.SENT - 1_000, RecordedRequest.SENT + 5_000, Target.engine(1)),
              done(RecordedRequest.SENT - 500, RecordedRequest.SENT + 100, Target.worker(1)),
              done(RecordedRequest.SENT + 10, RecordedRequest.SENT + 5_000, Target.broker(1))));

  @Test
  void aWaitCountsForTheFaultThatBeganLastBeforeIt() {
    words.add(RecordedRequest.answered(RequestKind.CHAT).evidence());

    assertThat(words.byFault()).containsOnlyKeys("kill -9 worker");
    assertThat(words.byFault().get("kill -9 worker").percentile(50)).isEqualTo(500);
  }

  @Test
  void bulkAndWhatOnlyFaultsSendDoNotCount() {
    words.add(RecordedRequest.answered(RequestKind.BULK).evidence());
    words.add(RecordedRequest.answered(RequestKind.LOST_REPLY_TOPIC).evidence());

    assertThat(words.byFault()).isEmpty();
  }

  private static InjectedFault done(long from, long until, Target target) {
    return new InjectedFault(
        from, until, "kill -9 " + target.role().name().toLowerCase(Locale.ROOT), List.of(target));
  }
}
