package io.sluice.producer.acl;

import io.sluice.common.acl.PoolRole;
import io.sluice.common.dependency.Reasons;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.KafkaSettings;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.resource.PatternType;

/**
 * The Kafka ACLs that give a principal a role in a pool. Immutable.
 *
 * @param bindings in the order of the role's definition
 */
public record RoleAcls(List<AclBinding> bindings) {
  private static final long WAIT_SECONDS = 12;

  public RoleAcls {
    bindings = List.copyOf(bindings);
  }

  /**
   * Returns the ACLs of a role.
   *
   * @param principal such as {@code User:router}
   * @param name of a caller's or gateway's reply topic {@code sluice.replies.NAME}, or a worker's
   *     id
   * @throws IllegalArgumentException if the name cannot be part of a topic name
   */
  public static RoleAcls of(PoolRole role, String principal, Optional<String> name) {
    return new RoleAcls(role.acls(principal, name));
  }

  /** Returns the arguments of {@code kafka-acls.sh --add} for each ACL. */
  public List<String> arguments() {
    return bindings.stream().map(RoleAcls::arguments).toList();
  }

  /**
   * Creates the ACLs; those that exist already stay. Blocks for some 12 s at most.
   *
   * @param config of an administrator of the cluster
   * @throws ClientException if Kafka does not create them
   */
  public void create(ClientConfig config) {
    try (Admin admin = KafkaSettings.admin(config)) {
      admin.createAcls(bindings).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      boolean hasNoAuthorizer = e.getCause() instanceof SecurityDisabledException;
      throw failed(
          config,
          hasNoAuthorizer
              ? "the brokers have no authorizer (authorizer.class.name)"
              : Reasons.of(e),
          e);
    } catch (TimeoutException e) {
      throw failed(config, "no answer within " + WAIT_SECONDS + " s", e);
    } catch (KafkaException e) {
      throw failed(config, Reasons.of(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(config, "interrupted", e);
    }
  }

  private static ClientException failed(ClientConfig config, String why, Exception cause) {
    return new ClientException(
        ClientException.Kind.CONFIGURATION,
        "Kafka at %s did not create the ACLs: %s".formatted(config.bootstrapServers(), why),
        cause);
  }

  private static String arguments(AclBinding acl) {
    return "--allow-principal '%s' --operation %s --%s '%s' --resource-pattern-type %s"
        .formatted(
            acl.entry().principal(),
            acl.entry().operation().name(),
            acl.pattern().resourceType().name().toLowerCase(Locale.ROOT),
            acl.pattern().name(),
            acl.pattern().patternType() == PatternType.PREFIXED ? "prefixed" : "literal");
  }
}
