package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Deletes a reply topic while requests are answered on it, and creates it again when the fault
 * ends.
 *
 * @param deletedAfter how long after the first of its requests was sent it is deleted
 */
record TopicDeletion(
    String topic, List<PlannedRequest> requests, Duration deletedAfter, Duration duration)
    implements Fault {
  TopicDeletion {
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
  public void inject(FaultContext context) throws InterruptedException, TimeoutException {
    context.topics().create(topic);
    // Routers accept a reply topic that has existed for a second.
    TimeUnit.SECONDS.sleep(2);
    requests.forEach(context.load()::send);
    TimeUnit.NANOSECONDS.sleep(deletedAfter.toNanos());
    context.topics().delete(topic);
  }

  @Override
  public void recover(FaultContext context) throws InterruptedException, TimeoutException {
    context.topics().create(topic);
  }
}
