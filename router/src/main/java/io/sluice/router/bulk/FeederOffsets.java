package io.sluice.router.bulk;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a feeder needs the coordinator of its group for: where to begin in the partitions that it
 * gains, and commits. While the coordinator is away, the partitions that were there before go on,
 * bulk enters all the same, and the next feeder gets repeats. Not thread-safe.
 */
final class FeederOffsets {
  /** What failed because the coordinator is away is tried again after this time. */
  static final Duration AGAIN = Duration.ofSeconds(10);

  /**
   * How often a commit may be skipped while more enters. What is not committed only comes again.
   */
  private static final int UNCOMMITTED_ROUNDS = 16;

  private static final Logger log = LoggerFactory.getLogger(FeederOffsets.class);

  private final BulkIntake intake;
  private final LongSupplier epochMillis;
  private int uncommitted;
  private long commitAtMillis;
  private long gainAtMillis;

  /**
   * Creates the offsets of an intake.
   *
   * @param epochMillis the pool's time
   */
  FeederOffsets(BulkIntake intake, LongSupplier epochMillis) {
    this.intake = intake;
    this.epochMillis = epochMillis;
  }

  /** Lets the intake read these partitions, as far as it is known where to begin. */
  void assign(Set<TopicPartition> wanted) {
    long now = epochMillis.getAsLong();
    Set<TopicPartition> kept = new HashSet<>(intake.assigned());
    boolean isAnyLost = kept.retainAll(wanted);
    boolean gains = kept.size() < wanted.size() && now >= gainAtMillis;
    if (!isAnyLost && !gains) {
      return;
    }
    if (now >= commitAtMillis) {
      commit();
    }
    try {
      intake.assign(gains ? wanted : kept);
    } catch (WakeupException e) {
      throw e;
    } catch (KafkaException e) {
      gainAtMillis = again();
      log.warn(
          "event=bulk_partitions_not_gained effect=\"tried again in {} s; the others continue\" reason=\"{}\"",
          AGAIN.toSeconds(),
          e.getMessage());
      intake.assign(kept);
    }
  }

  /** A round is over, in which more has entered or nothing has. */
  void roundEnded(boolean hasMoreEntered) {
    if (hasMoreEntered) {
      uncommitted++;
    }
    boolean isDue = !hasMoreEntered || uncommitted >= UNCOMMITTED_ROUNDS;
    if (isDue && epochMillis.getAsLong() >= commitAtMillis) {
      commit();
    }
  }

  private void commit() {
    try {
      intake.commit();
      uncommitted = 0;
    } catch (WakeupException e) {
      throw e;
    } catch (KafkaException e) {
      commitAtMillis = again();
      log.warn(
          "event=bulk_not_committed effect=\"tried again in {} s; bulk continues\" reason=\"{}\"",
          AGAIN.toSeconds(),
          e.getMessage());
    }
  }

  /** A failed attempt may have taken some seconds. */
  private long again() {
    return epochMillis.getAsLong() + AGAIN.toMillis();
  }

  /** Commits once more before the feeder closes. */
  void commitAtLast() {
    try {
      intake.commit();
    } catch (RuntimeException e) {
      log.info(
          "event=bulk_commit_failed effect=\"some requests are read again\" reason=\"{}\"",
          e.getMessage());
    }
  }
}
