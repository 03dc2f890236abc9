package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A reply topic loses one of its two copies, of which both must have every record, while requests
 * are answered there: nothing can be written to it.
 *
 * @param broker which is killed
 * @param other has the other copies
 */
record TopicThinning(
    String topic, Target broker, Target other, List<PlannedRequest> requests, Duration lasting)
    implements Blow {
  private static final Duration ANSWERED_FOR = Duration.ofSeconds(3);

  TopicThinning {
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return List.of(broker);
  }

  @Override
  public String label() {
    return "thin reply topic";
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException, TimeoutException {
    arena.topics().makeThin(topic, broker.number(), other.number());
    TimeUnit.SECONDS.sleep(2);
    requests.forEach(arena.load()::send);
    TimeUnit.NANOSECONDS.sleep(ANSWERED_FOR.toNanos());
    arena.pool().kill(broker);
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.pool().startAgain(broker);
  }
}
