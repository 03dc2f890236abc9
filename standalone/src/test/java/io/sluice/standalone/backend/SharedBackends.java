package io.sluice.standalone.backend;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.testcontainers.DockerClientFactory;

/**
 * Provides tests with a {@link Backends} parameter: one instance per JVM, started for the first
 * test that needs it and closed after the last. Tests share it, so they use their own topics and
 * pools.
 *
 * <p>The system property {@code sluice.test.backend} selects {@code embedded} or {@code
 * containers}; by default, containers are used if Docker is running.
 */
public final class SharedBackends implements ParameterResolver {
  private static final String PROPERTY = "sluice.test.backend";

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Backends.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return test.getRoot()
        .getStore(Namespace.create(SharedBackends.class))
        .getOrComputeIfAbsent(Backends.class, key -> start(), Backends.class);
  }

  private static Backends start() {
    String chosen = System.getProperty(PROPERTY, "");
    String backend =
        switch (chosen) {
          case "embedded", "containers" -> chosen;
          case "" -> DockerClientFactory.instance().isDockerAvailable() ? "containers" : "embedded";
          default ->
              throw new IllegalArgumentException(
                  PROPERTY + " is embedded or containers, not " + chosen);
        };
    System.out.printf(
        "Integration tests run on %s Kafka and Redis (%s)%n",
        backend, chosen.isEmpty() ? "found by itself; -D" + PROPERTY + " chooses" : PROPERTY);
    return backend.equals("containers") ? new ContainerBackends() : new EmbeddedBackends();
  }
}
