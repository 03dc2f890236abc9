package io.sluice.services;

import io.sluice.cli.acl.AclsCommand;
import io.sluice.cli.batch.BatchCommand;
import io.sluice.cli.deadletter.DeadLetterListCommand;
import io.sluice.cli.deadletter.DeadLetterRedriveCommand;
import io.sluice.cli.deadletter.DeadLetterShowCommand;
import io.sluice.cli.deadletter.DeadLettersCommand;
import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.cli.operations.BreakerCommand;
import io.sluice.cli.operations.TopCommand;
import io.sluice.cli.operations.WorkerDrainCommand;
import io.sluice.cli.operations.WorkerListCommand;
import io.sluice.cli.operations.WorkerResumeCommand;
import io.sluice.cli.request.AttachCommand;
import io.sluice.cli.request.CancelCommand;
import io.sluice.cli.request.ChatCommand;
import io.sluice.cli.request.Meanings;
import io.sluice.cli.request.WhyCommand;
import io.sluice.config.SettingsCommand;
import io.sluice.gateway.access.command.KeyCreateCommand;
import io.sluice.gateway.access.command.KeyListCommand;
import io.sluice.gateway.access.command.KeyRevokeCommand;
import io.sluice.gateway.access.command.KeysCommand;
import io.sluice.gateway.app.GatewayCommand;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.RouterCommand;
import io.sluice.router.app.RouterConfig;
import io.sluice.router.policy.Vocabulary;
import io.sluice.services.Commands.Entry;
import io.sluice.worker.app.WorkerCommand;
import io.sluice.worker.config.WorkerConfig;
import java.util.List;

/** The commands of a production installation: the services and their clients. */
public final class ServiceCommands {
  private static final List<Entry> ENTRIES =
      List.of(
          new Entry("chat", CommandKind.CLIENT, ChatCommand::new),
          new Entry("batch", CommandKind.CLIENT, BatchCommand::new),
          new Entry("attach", CommandKind.CLIENT, AttachCommand::new),
          new Entry("cancel", CommandKind.CLIENT, CancelCommand::new),
          new Entry("why", CommandKind.CLIENT, () -> new WhyCommand(ServiceCommands::meanings)),
          new Entry(
              "dead-letters",
              CommandKind.CLIENT,
              DeadLettersCommand::new,
              List.of(
                  new Entry("list", CommandKind.CLIENT, DeadLetterListCommand::new),
                  new Entry("show", CommandKind.CLIENT, DeadLetterShowCommand::new),
                  new Entry("redrive", CommandKind.CLIENT, DeadLetterRedriveCommand::new))),
          new Entry("doctor", CommandKind.CLIENT, DoctorCommand::new),
          new Entry("top", CommandKind.CLIENT, TopCommand::new),
          new Entry("breaker", CommandKind.CLIENT, BreakerCommand::new),
          new Entry("acls", CommandKind.CLIENT, AclsCommand::new),
          new Entry("gateway", CommandKind.SERVICE, GatewayCommand::spec),
          new Entry(
              "keys",
              CommandKind.CLIENT,
              KeysCommand::new,
              List.of(
                  new Entry("create", CommandKind.CLIENT, KeyCreateCommand::new),
                  new Entry("list", CommandKind.CLIENT, KeyListCommand::new),
                  new Entry("revoke", CommandKind.CLIENT, KeyRevokeCommand::new))),
          new Entry("router", CommandKind.SERVICE, RouterCommand::spec),
          new Entry(
              "worker",
              CommandKind.SERVICE,
              WorkerCommand::spec,
              List.of(
                  new Entry("list", CommandKind.CLIENT, WorkerListCommand::new),
                  new Entry("drain", CommandKind.CLIENT, WorkerDrainCommand::new),
                  new Entry("resume", CommandKind.CLIENT, WorkerResumeCommand::new))),
          new Entry(
              "config",
              CommandKind.CLIENT,
              ConfigCommand::new,
              List.of(
                  new Entry(
                      "gateway",
                      CommandKind.CLIENT,
                      () -> SettingsCommand.printing(GatewayConfig.SCHEMA)),
                  new Entry(
                      "router",
                      CommandKind.CLIENT,
                      () -> SettingsCommand.printing(RouterConfig.SCHEMA)),
                  new Entry(
                      "worker",
                      CommandKind.CLIENT,
                      () -> SettingsCommand.printing(WorkerConfig.SCHEMA)))),
          new Entry("warm-up", CommandKind.CLIENT, WarmUpCommand::new));

  private ServiceCommands() {}

  private static Meanings meanings() {
    return new Meanings(Vocabulary.scorers(), Vocabulary.filters());
  }

  /** Returns all commands, in the order of {@code --help}. */
  public static List<Entry> all() {
    return ENTRIES;
  }
}
