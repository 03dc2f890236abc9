package io.sluice.common.protocol;

import java.util.regex.Pattern;

/** The names of all topics. Everything that names a topic does it through this class. */
public final class Topics {
  public static final String BULK = "sluice.bulk";
  public static final String CONTROL = "sluice.control";
  public static final String OUTCOMES = "sluice.outcomes";
  public static final String REPLIES = "sluice.replies";
  public static final String DEAD_LETTERS = "sluice.dead-letters";
  public static final String DECISIONS = "sluice.decisions";

  private static final String REQUESTS_PREFIX = "sluice.requests.";
  private static final String WORKER_PREFIX = "sluice.worker.";
  private static final Pattern REPLY_TOPIC =
      Pattern.compile("sluice\\.replies(\\.[A-Za-z0-9._-]+)?");
  private static final Pattern WORKER_ID = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  /** Kafka's limit. */
  private static final int MAX_TOPIC_LENGTH = 249;

  private Topics() {}

  /** The topic from which the router reads a lane's requests. */
  public static String requests(Lane lane) {
    return REQUESTS_PREFIX + lane.name();
  }

  /**
   * The topic of one worker.
   *
   * @throws IllegalArgumentException if the id cannot be part of a topic's name
   */
  public static String worker(String workerId) {
    if (!isWorkerId(workerId)) {
      throw new IllegalArgumentException(
          "worker id '" + workerId + "' must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
    return WORKER_PREFIX + workerId;
  }

  /** Whether a worker may be called so. */
  public static boolean isWorkerId(String text) {
    return WORKER_ID.matcher(text).matches();
  }

  /**
   * The reply topic of one service.
   *
   * @throws IllegalArgumentException if the name cannot be part of a topic's name
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
   * Whether answers may be written there: {@code sluice.replies} and {@code sluice.replies.*}, so
   * that no request can make the pool write to its own topics.
   */
  public static boolean isReplyTopic(String topic) {
    return topic.length() <= MAX_TOPIC_LENGTH && REPLY_TOPIC.matcher(topic).matches();
  }
}
