package io.sluice.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * A picocli command whose options are the settings of a schema, with {@code --config FILE} for a
 * file of them.
 *
 * @param <R> the annotated record
 */
public final class SettingsCommand<R extends Record> implements Callable<Integer> {
  private static final String FILE = "--config";

  /**
   * What a command does with its settings.
   *
   * @param <R> the annotated record
   */
  @FunctionalInterface
  public interface Action<R extends Record> {
    /**
     * Runs the command.
     *
     * @param command for its output
     * @return the exit code
     */
    int run(R settings, CommandLine command) throws Exception;
  }

  @FunctionalInterface
  private interface Body<R extends Record> {
    int run(SettingsCommand<R> command) throws Exception;
  }

  private final SettingsSchema<R> schema;
  private final Map<String, String> environment;
  private final Body<R> body;
  private final CommandSpec spec;

  private SettingsCommand(SettingsSchema<R> schema, Map<String, String> environment, Body<R> body) {
    this.schema = schema;
    this.environment = environment;
    this.body = body;
    this.spec = CommandSpec.wrapWithoutInspection(this);
  }

  /**
   * Returns a command that runs a service.
   *
   * @param description one sentence for its help
   */
  public static <R extends Record> CommandSpec running(
      SettingsSchema<R> schema, String description, Action<R> action) {
    return running(schema, System.getenv(), description, action);
  }

  /** Returns the same with another environment than that of the process. */
  public static <R extends Record> CommandSpec running(
      SettingsSchema<R> schema,
      Map<String, String> environment,
      String description,
      Action<R> action) {
    Body<R> body =
        command -> action.run(command.schema.read(command.sources()), command.spec.commandLine());
    return new SettingsCommand<>(schema, environment, body).described(description);
  }

  /** Returns a command that prints the settings that the service of a schema would start with. */
  public static <R extends Record> CommandSpec printing(SettingsSchema<R> schema) {
    return printing(schema, System.getenv());
  }

  /** Returns the same with another environment than that of the process. */
  public static <R extends Record> CommandSpec printing(
      SettingsSchema<R> schema, Map<String, String> environment) {
    return new SettingsCommand<>(schema, environment, SettingsCommand::print)
        .described("Print the settings that a %s would start with.".formatted(schema.service()));
  }

  @Override
  public Integer call() throws Exception {
    try {
      return body.run(this);
    } catch (InvalidSettingsException e) {
      throw new ParameterException(spec.commandLine(), String.join("\n", e.problems()), e);
    }
  }

  private int print() {
    SettingSources sources = sources();
    schema.read(sources);
    SettingsTables.print(schema.effective(sources), spec.commandLine().getOut());
    return 0;
  }

  private CommandSpec described(String description) {
    spec.name(schema.service());
    spec.usageMessage().description(description).sortOptions(false);
    spec.usageMessage()
        .footer(
            "",
            "A flag wins over its environment variable, the variable over the file. Each option may",
            "also stand in a file given as @FILE.");
    schema.settings().forEach(setting -> spec.addOption(option(setting)));
    spec.addOption(
        OptionSpec.builder(FILE)
            .paramLabel("FILE")
            .type(Path.class)
            .description(
                "A properties file of settings. Its keys are the names of the flags without dashes.")
            .build());
    return spec;
  }

  private static OptionSpec option(SettingSpec setting) {
    OptionSpec.Builder option =
        OptionSpec.builder(setting.flag(), aliases(setting))
            .description(SettingsTables.help(setting))
            .type(setting.isList() ? List.class : String.class)
            .auxiliaryTypes(String.class);
    if (setting.isSwitch()) {
      option.arity("0..1").fallbackValue("true").paramLabel("true|false");
    } else {
      option.arity("1").paramLabel(SettingsTables.label(setting));
    }
    return option.build();
  }

  private static String[] aliases(SettingSpec setting) {
    return Arrays.stream(setting.declaration().aliases())
        .map(alias -> "--" + alias)
        .toArray(String[]::new);
  }

  private SettingSources sources() {
    ParseResult given = spec.commandLine().getParseResult();
    Map<String, String> flags = new HashMap<>();
    for (SettingSpec setting : schema.settings()) {
      if (given.hasMatchedOption(setting.flag())) {
        flags.put(setting.key(), text(given.matchedOption(setting.flag())));
      }
    }
    return new SettingSources(flags, environment, file(given.matchedOptionValue(FILE, null)));
  }

  private static String text(OptionSpec option) {
    return option.getValue() instanceof List<?> values
        ? String.join(",", values.stream().map(String::valueOf).toList())
        : option.<Object>getValue().toString();
  }

  private Map<String, String> file(@Nullable Path file) {
    if (file == null) {
      return Map.of();
    }
    try {
      return PropertiesFile.read(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "cannot read --config " + file + ": " + e.getMessage(), e);
    }
  }
}
