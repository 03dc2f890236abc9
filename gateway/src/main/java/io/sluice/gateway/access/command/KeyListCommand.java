package io.sluice.gateway.access.command;

import io.sluice.config.TextTable;
import io.sluice.gateway.access.ApiKey;
import io.sluice.gateway.access.KeyLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code keys list}: the keys, without their secrets. */
@Command(name = "list", description = "List the API keys and their limits.")
public final class KeyListCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final StoreOptions store = new StoreOptions();

  @Override
  public Integer call() throws IOException {
    return store.with(
        keys -> {
          print(keys.all());
          return 0;
        });
  }

  private void print(List<ApiKey> keys) {
    TextTable table = new TextTable().left("id", "tenant", "created", "name", "limits");
    keys.stream()
        .sorted(Comparator.comparing(ApiKey::created))
        .forEach(
            key ->
                table.row(
                    key.id(),
                    key.tenant(),
                    key.created(),
                    key.name().orElse("-"),
                    text(key.limits())));
    PrintWriter out = spec.commandLine().getOut();
    out.print(table);
    out.flush();
  }

  private static String text(KeyLimits limits) {
    String text =
        Stream.of(
                limits.requestsPerMinute().stream().mapToObj(n -> n + " requests/min"),
                limits.tokensPerMinute().stream().mapToObj(n -> n + " tokens/min"),
                limits.concurrent().stream().mapToObj(n -> n + " at once"),
                Stream.of(String.join(",", limits.models())).filter(names -> !names.isEmpty()),
                Stream.of(String.join(",", limits.tiers())).filter(names -> !names.isEmpty()),
                limits.maxPriority().stream().map(highest -> "up to " + highest.headerValue()))
            .flatMap(part -> part)
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? "-" : text;
  }
}
