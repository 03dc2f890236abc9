package io.sluice.gateway.access;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** Admits the requests of known callers before their bodies are read. Thread-safe. */
@FunctionalInterface
public interface RequestGate {

  /** Returns why a request is refused; nothing if it is admitted. May block for seconds. */
  @Nullable HttpResponse<?> admit(HttpRequest<?> request, Caller caller)
      throws InterruptedException;
}
