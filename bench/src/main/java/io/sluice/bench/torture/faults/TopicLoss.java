package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A reply topic is deleted while requests are answered there, and made again a while later.
 *
 * @param deletedAfter its requests have begun to be sent
 */
record TopicLoss(
    String topic, List<PlannedRequest> requests, Duration deletedAfter, Duration lasting)
    implements Blow {
  TopicLoss {
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return List.of();
  }

  @Override
  public String label() {
    return "delete reply topic";
  }

  @Override
  public void deal(Arena arena) throws InterruptedException, TimeoutException {
    arena.topics().make(topic);
    // It has to have existed for a second.
    TimeUnit.SECONDS.sleep(2);
    requests.forEach(arena.load()::send);
    TimeUnit.NANOSECONDS.sleep(deletedAfter.toNanos());
    arena.topics().delete(topic);
  }

  @Override
  public void recover(Arena arena) throws InterruptedException, TimeoutException {
    arena.topics().make(topic);
  }
}
