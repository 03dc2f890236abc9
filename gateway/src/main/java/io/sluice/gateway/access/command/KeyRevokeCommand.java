package io.sluice.gateway.access.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code keys revoke}: a key opens nothing any more. */
@Command(name = "revoke", description = "Revoke an API key; gateways know within a second or two.")
public final class KeyRevokeCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", description = "The key's id, as keys list shows it.")
  private String id = "";

  @Mixin private final StoreOptions store = new StoreOptions();

  @Override
  public Integer call() throws IOException {
    return store.with(
        keys -> {
          boolean wasThere = keys.remove(id);
          if (!wasThere) {
            spec.commandLine().getErr().println("sluice: there is no key " + id);
            spec.commandLine().getErr().flush();
          }
          return wasThere ? 0 : 1;
        });
  }
}
