package io.sluice.worker.evict;

import java.util.OptionalInt;

/** Running requests that a test can shape: by default fresh, bulk, of 1,000 tokens. */
record Requests(RunningRequest request) {

  static Requests bulk(String lease) {
    return new Requests(
        new RunningRequest(lease, true, true, 0, 1_000, 500, 500, OptionalInt.of(2_000), 0));
  }

  static Requests interactive(String lease) {
    RunningRequest bulk = bulk(lease).request;
    return new Requests(
        new RunningRequest(
            lease,
            false,
            true,
            bulk.sinceNanos(),
            bulk.contextTokens(),
            bulk.outputTokens(),
            bulk.addedTokens(),
            bulk.maxTokens(),
            0));
  }

  Requests since(long nanos) {
    return with(request.isResumable(), nanos, request.contextTokens(), request.evictions());
  }

  Requests tokens(long context) {
    return with(request.isResumable(), request.sinceNanos(), context, request.evictions());
  }

  Requests evicted(int times) {
    return with(request.isResumable(), request.sinceNanos(), request.contextTokens(), times);
  }

  Requests notResumable() {
    return with(false, request.sinceNanos(), request.contextTokens(), request.evictions());
  }

  /** Output tokens in all and of this attempt, of so many. */
  Requests made(int all, int added, OptionalInt max) {
    return new Requests(
        new RunningRequest(
            request.lease(),
            request.isBulk(),
            request.isResumable(),
            request.sinceNanos(),
            request.contextTokens(),
            all,
            added,
            max,
            request.evictions()));
  }

  private Requests with(boolean isResumable, long since, long context, int evictions) {
    return new Requests(
        new RunningRequest(
            request.lease(),
            request.isBulk(),
            isResumable,
            since,
            context,
            request.outputTokens(),
            request.addedTokens(),
            request.maxTokens(),
            evictions));
  }
}
