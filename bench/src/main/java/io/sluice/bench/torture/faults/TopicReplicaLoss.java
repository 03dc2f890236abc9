package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Kills one of the two brokers that have the replicas of a reply topic, while requests are answered
 * on it. Both replicas must be in sync for a write, so nothing can be written to it.
 *
 * @param broker the broker that is killed
 * @param other the broker with the other replica
 */
record TopicReplicaLoss(
    String topic, Target broker, Target other, List<PlannedRequest> requests, Duration duration)
    implements Fault {
  private static final Duration ANSWERED_FOR = Duration.ofSeconds(3);

  TopicReplicaLoss {
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return List.of(broker);
  }

  @Override
  public String label() {
    return "under-replicated reply topic";
  }

  @Override
  public void inject(FaultContext context)
      throws IOException, InterruptedException, TimeoutException {
    context.topics().createOnTwoBrokers(topic, broker.number(), other.number());
    TimeUnit.SECONDS.sleep(2);
    requests.forEach(context.load()::send);
    TimeUnit.NANOSECONDS.sleep(ANSWERED_FOR.toNanos());
    context.pool().kill(broker);
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.pool().startAgain(broker);
  }
}
