package io.sluice.common.acl;

import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.PatternType.PREFIXED;

import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What a role may do with a topic or a consumer group, or with all whose names begin alike.
 *
 * @param resource which topics or groups
 * @param operations that are allowed; reading and writing a topic include describing it
 */
record Grant(ResourcePattern resource, List<AclOperation> operations) {
  private static final String ANY_HOST = "*";

  public Grant {
    operations = List.copyOf(operations);
  }

  static Grant topic(String name, AclOperation... operations) {
    return new Grant(new ResourcePattern(ResourceType.TOPIC, name, LITERAL), List.of(operations));
  }

  static Grant topics(String prefix, AclOperation... operations) {
    return new Grant(
        new ResourcePattern(ResourceType.TOPIC, prefix, PREFIXED), List.of(operations));
  }

  static Grant group(String name) {
    return new Grant(
        new ResourcePattern(ResourceType.GROUP, name, LITERAL), List.of(AclOperation.READ));
  }

  /** Returns it as Kafka's ACLs for a principal, from any host. */
  Stream<AclBinding> bindings(String principal) {
    return operations.stream()
        .map(
            operation ->
                new AclBinding(
                    resource,
                    new AccessControlEntry(
                        principal, ANY_HOST, operation, AclPermissionType.ALLOW)));
  }
}
