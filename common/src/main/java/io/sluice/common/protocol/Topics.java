package io.sluice.common.protocol;

import java.util.regex.Pattern;

/** The names of all topics. All code that names a topic uses this class. */
public final class Topics {
  public static final String BULK = "sluice.bulk";
  public static final String CONTROL = "sluice.control";
  public static final String OUTCOMES = "sluice.outcomes";
  public static final String REPLIES = "sluice.replies";
  public static final String RESPONSES = "sluice.responses";
  public static final String BATCHES = "sluice.batches";
  public static final String DELETED_RESPONSES = "sluice.responses.deleted";
  public static final String DEAD_LETTERS = "sluice.dead-letters";
  public static final String DECISIONS = "sluice.decisions";

  /** The prefix of all workers' topics. */
  public static final String WORKER_PREFIX = "sluice.worker.";

  /** The prefix of all topics of a pool. */
  public static final String PREFIX = "sluice.";

  /** The prefix of all lanes' topics. */
  public static final String REQUESTS_PREFIX = "sluice.requests.";

  private static final Pattern REPLY_TOPIC =
      Pattern.compile("sluice\\.replies(\\.[A-Za-z0-9._-]+)?");
  private static final Pattern WORKER_ID = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  /** Kafka's limit for the length of a topic name. */
  private static final int MAX_TOPIC_LENGTH = 249;

  private Topics() {}

  /** Returns the topic from which the router reads a lane's requests. */
  public static String requests(Lane lane) {
    return REQUESTS_PREFIX + lane.name();
  }

  /**
   * Returns the topic of one worker.
   *
   * @throws IllegalArgumentException if the id cannot be part of a topic name
   */
  public static String worker(String workerId) {
    if (!isWorkerId(workerId)) {
      throw new IllegalArgumentException(
          "worker id '" + workerId + "' must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
    return WORKER_PREFIX + workerId;
  }

  /** Returns whether the text is a valid worker id. */
  public static boolean isWorkerId(String text) {
    return WORKER_ID.matcher(text).matches();
  }

  /**
   * Returns the reply topic of one service.
   *
   * @throws IllegalArgumentException if the name cannot be part of a topic name
   */
  public static String replies(String service) {
    String topic = REPLIES + "." + service;
    if (!isReplyTopic(topic)) {
      throw new IllegalArgumentException(
          "service '" + service + "' must be letters, digits, '.', '_' or '-', 234 at most");
    }
    return topic;
  }

  /**
   * Returns whether answers may be written to the topic: {@code sluice.replies} and {@code
   * sluice.replies.*} only, so that a request cannot make the pool write to its own topics.
   */
  public static boolean isReplyTopic(String topic) {
    return topic.length() <= MAX_TOPIC_LENGTH && REPLY_TOPIC.matcher(topic).matches();
  }
}
