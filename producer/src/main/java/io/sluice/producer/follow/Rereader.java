package io.sluice.producer.follow;

/**
 * Reads parts of reply partitions a second time, for slow readers and for answers on other
 * partitions. One thread with one consumer looks up and reads what followers have missed, and
 * another one serves {@linkplain LiveFollowers together} those that have caught up, so that neither
 * delays the other. A stream has at most two followers, one for its records and one for its slow
 * reader, so the queues are bounded by the number of streams. Thread-safe.
 */
public final class Rereader {
  public static final String UNREADABLE = "the answer cannot be read: ";
  public static final String TRUNCATED = "the unread part of the answer is no longer in Kafka";

  private final FollowerThread lagging;
  private final FollowerThread live;

  public Rereader(ReplyConsumers consumers) {
    this.lagging =
        new FollowerThread(
            "sluice-rereader",
            consumers.rereading(),
            (thread, consumer) -> new LaggingFollowers(thread, consumer, this::caughtUp));
    this.live =
        new FollowerThread(
            "sluice-follower",
            consumers.following(),
            (thread, consumer) -> new LiveFollowers(thread::next, consumer, lagging::add));
  }

  private void caughtUp(FollowerGroup group) {
    live.addAtOnce(group);
  }

  /** Serves a follower until it is done or takes no more. */
  public void follow(Follower follower) {
    lagging.add(new FollowerGroup(follower));
  }

  /** Ends all followers with a message, also those that come later. */
  public void close(String reason) {
    lagging.close(reason);
    live.close(reason);
  }
}
