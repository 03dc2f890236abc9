package io.sluice.common.acl;

import static org.apache.kafka.common.acl.AclOperation.ALTER_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DELETE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;

import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.protocol.Topics;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclBinding;

/**
 * Who uses a pool's Kafka. This is the one definition of what each may do; no role uses a
 * transactional id, and none has rights on the cluster.
 */
public enum PoolRole {
  /** A service or job that sends requests and reads their answers. */
  CALLER {
    @Override
    List<Grant> grants(Optional<String> name) {
      return List.of(
          Grant.topics(Topics.REQUESTS_PREFIX, WRITE),
          Grant.topic(Topics.BULK, WRITE),
          Grant.topic(Topics.CONTROL, WRITE),
          Grant.topic(name.map(Topics::replies).orElse(Topics.REPLIES), READ));
    }
  },
  /** A gateway: a caller that also keeps responses and batches. */
  GATEWAY {
    @Override
    List<Grant> grants(Optional<String> name) {
      return Stream.concat(
              CALLER.grants(name).stream(),
              Stream.of(
                  Grant.topic(Topics.RESPONSES, READ, WRITE),
                  Grant.topic(Topics.DELETED_RESPONSES, READ, WRITE),
                  Grant.topic(Topics.BATCHES, READ, WRITE),
                  Grant.group(ConsumerGroups.BATCHES)))
          .toList();
    }
  },
  /** A router: it creates the pool's topics, and deletes those of workers that are gone. */
  ROUTER {
    @Override
    List<Grant> grants(Optional<String> name) {
      return List.of(
          Grant.topics(Topics.PREFIX, CREATE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS),
          Grant.topics(Topics.REQUESTS_PREFIX, READ, WRITE),
          Grant.topic(Topics.BULK, READ),
          Grant.topic(Topics.CONTROL, READ),
          Grant.topic(Topics.OUTCOMES, READ),
          Grant.topic(Topics.REPLIES, READ, WRITE),
          Grant.topics(Topics.REPLIES + ".", READ, WRITE),
          Grant.topics(Topics.WORKER_PREFIX, WRITE, DELETE),
          Grant.topic(Topics.DEAD_LETTERS, WRITE),
          Grant.topic(Topics.DECISIONS, WRITE),
          Grant.topics(ConsumerGroups.ROUTER + "-", CREATE, READ, WRITE, DESCRIBE_CONFIGS),
          Grant.group(ConsumerGroups.ROUTER),
          Grant.group(ConsumerGroups.BULK_FEEDER));
    }
  },
  /** A worker; with its id, it reads no other worker's assignments. */
  WORKER {
    @Override
    List<Grant> grants(Optional<String> name) {
      return List.of(
          name.map(Topics::worker)
              .map(own -> Grant.topic(own, CREATE, READ, DESCRIBE_CONFIGS, ALTER_CONFIGS))
              .orElseGet(
                  () ->
                      Grant.topics(
                          Topics.WORKER_PREFIX, CREATE, READ, DESCRIBE_CONFIGS, ALTER_CONFIGS)),
          Grant.topic(Topics.OUTCOMES, WRITE),
          Grant.topic(Topics.REPLIES, READ, WRITE),
          Grant.topics(Topics.REPLIES + ".", READ, WRITE));
    }
  },
  /** The person on call, with all client commands. */
  OPERATOR {
    @Override
    List<Grant> grants(Optional<String> name) {
      return List.of(
          Grant.topics(Topics.REQUESTS_PREFIX, READ, WRITE),
          Grant.topic(Topics.BULK, READ, WRITE),
          Grant.topic(Topics.CONTROL, WRITE),
          Grant.topic(Topics.REPLIES, READ),
          Grant.topics(Topics.REPLIES + ".", READ),
          Grant.topic(Topics.OUTCOMES, READ),
          Grant.topic(Topics.DECISIONS, READ),
          Grant.topic(Topics.DEAD_LETTERS, READ, WRITE));
    }
  },
  /** A reader of dead letters, which cannot send them again. */
  DEAD_LETTER_READER {
    @Override
    List<Grant> grants(Optional<String> name) {
      return List.of(Grant.topic(Topics.DEAD_LETTERS, READ));
    }
  };

  /**
   * Returns what the role may do.
   *
   * @param name of the caller's or gateway's reply topic {@code sluice.replies.NAME}, or a worker's
   *     id; empty for the common reply topic, or any worker
   * @throws IllegalArgumentException if the name cannot be part of a topic name
   */
  abstract List<Grant> grants(Optional<String> name);

  /** Returns whether a name narrows what the role may do. */
  public boolean takesName() {
    return this == CALLER || this == GATEWAY || this == WORKER;
  }

  /**
   * Returns the role's ACLs for a principal such as {@code User:router}.
   *
   * @param name as for {@link #grants}
   * @throws IllegalArgumentException if the name cannot be part of a topic name
   */
  public List<AclBinding> acls(String principal, Optional<String> name) {
    return grants(name).stream().flatMap(grant -> grant.bindings(principal)).toList();
  }
}
