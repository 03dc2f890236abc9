package io.sluice.fleet.redis;

/**
 * The keys of one pool, all in one hash slot.
 *
 * @param pool the pool's name
 */
public record RedisKeys(String pool) {
  public RedisKeys {
    if (!pool.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "pool name '" + pool + "' must be 1 to 64 letters, digits, '.', '_' or '-'");
    }
  }

  private String prefix() {
    return "sluice:{" + pool + "}:";
  }

  public String worker(String id) {
    return prefix() + "worker:" + id;
  }

  public String breaker(String id) {
    return prefix() + "breaker:" + id;
  }

  /** Returns the mark of a call that has changed a breaker. */
  public String breakerCall(String call) {
    return prefix() + "breaker-call:" + call;
  }

  public String order(String id) {
    return prefix() + "order:" + id;
  }

  /** Returns the set of the ids of all workers. Readers remove the ids whose key has expired. */
  public String workers() {
    return prefix() + "workers";
  }

  public String router(String id) {
    return prefix() + "router:" + id;
  }

  /** Returns the request that an HTTP request began. */
  public String retry(String fingerprint) {
    return prefix() + "retry:" + fingerprint;
  }

  /** Returns a text that is kept for a while. */
  String note(String name, String id) {
    return prefix() + name + ":" + id;
  }

  /** Returns a table of texts by id. */
  String table(String name) {
    return prefix() + "table:" + name;
  }

  /** Returns the token buckets of an owner. */
  public String quota(String owner) {
    return prefix() + "quota:" + owner;
  }

  /**
   * Returns the requests of an owner that run, with the times at which their places become free.
   */
  public String places(String owner) {
    return prefix() + "places:" + owner;
  }

  /** Returns what happened to a reservation of an owner. */
  public String lease(String owner, String lease) {
    return prefix() + "lease:" + owner + ':' + lease;
  }

  /**
   * Returns the workers of a group whose engines may be restarted, with the ends of their permits.
   */
  public String permits(String group) {
    return prefix() + "restarts:" + group;
  }

  /** Returns the set of the ids of all routers. */
  public String routers() {
    return prefix() + "routers";
  }

  public String events() {
    return prefix() + "events";
  }

  /** Returns what was sent to a worker lately, as far as its cache is concerned. */
  public String sentTo(String worker) {
    return prefix() + "sent:" + worker;
  }

  /** Returns the channel on which routers tell each other what they have sent. */
  public String sent() {
    return prefix() + "sent";
  }
}
