package io.sluice.cli.acl;

import io.sluice.cli.ClientOptions;
import io.sluice.common.acl.PoolRole;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.acl.RoleAcls;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code acls}: prints the Kafka ACLs of a role, or creates them. */
@Command(
    name = "acls",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Print the commands that create the Kafka ACLs of a role, or create them.",
      "Roles: caller, gateway, router, worker, operator, dead-letter-reader."
    })
public final class AclsCommand implements Callable<Integer> {
  private static final String KAFKA_ACLS =
      "kafka-acls.sh --bootstrap-server \"$BROKERS\" --command-config \"$ADMIN\" --add ";

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      required = true,
      converter = RoleConverter.class,
      description = "The role.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private PoolRole role;

  @Option(
      names = "--principal",
      paramLabel = "USER",
      required = true,
      description = "The Kafka principal that has the role, such as User:router.")
  private String principal = "";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Of a worker: its id. Of a caller or gateway: the service whose answers are on"
              + " sluice.replies.NAME (default: any worker; the common reply topic).")
  private Optional<String> name = Optional.empty();

  @Option(names = "--apply", description = "Create the ACLs, as an administrator of the cluster.")
  private boolean isApplied;

  @Mixin private final ClientOptions kafka = new ClientOptions();

  @Override
  public Integer call() {
    if (!principal.contains(":")) {
      throw wrong("--principal must be like User:router, not '" + principal + "'");
    }
    if (name.isPresent() && !role.takesName()) {
      throw wrong("--name is for the roles caller, gateway and worker");
    }
    RoleAcls acls = acls();
    PrintWriter out = spec.commandLine().getOut();
    if (isApplied) {
      ClientConfig config = kafka.clientConfig();
      ClientOptions.reach(
          config,
          () -> {
            acls.create(config);
            return acls;
          });
      out.printf(
          "%s has %d ACLs of the role %s.%n", principal, acls.arguments().size(), shownRole());
    } else {
      acls.arguments().forEach(arguments -> out.println(KAFKA_ACLS + arguments));
    }
    out.flush();
    return 0;
  }

  private RoleAcls acls() {
    try {
      return RoleAcls.of(role, principal, name);
    } catch (IllegalArgumentException e) {
      throw wrong("--name: " + e.getMessage());
    }
  }

  private String shownRole() {
    return RoleConverter.shown(role);
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
