package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.schedule.task.SchedulerListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * How the router of a {@link SluiceFront} is set up.
 *
 * @param policy chooses the workers
 * @param maxWait the longest wait of an interactive request, in the router's sense
 * @param requests what the router sees of the requests
 * @param roles of the workers, which they have in turn; none if all serve the only model
 * @param knowledge from where the router knows what the engines have cached
 * @param listener is told what the scheduler does
 */
public record FrontSettings(
    RoutingPolicy policy,
    Duration maxWait,
    RequestView requests,
    List<WorkerRole> roles,
    CacheKnowledge knowledge,
    SchedulerListener listener) {
  /** The router's default. */
  public static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(30);

  /** The router's defaults, for the requests of a trace. */
  public static final FrontSettings STANDARD =
      new FrontSettings(
          RoutingPolicy.standard(),
          DEFAULT_MAX_WAIT,
          TraceRequests.STANDARD,
          List.of(),
          CacheKnowledge.INFERRED,
          SchedulerListener.NONE);

  public FrontSettings {
    roles = List.copyOf(roles);
  }

  /** Returns the defaults with another longest wait. */
  public static FrontSettings waiting(Duration maxWait) {
    return STANDARD.withMaxWait(maxWait);
  }

  /** Returns the same with another policy. */
  public FrontSettings withPolicy(RoutingPolicy value) {
    return new FrontSettings(value, maxWait, requests, roles, knowledge, listener);
  }

  /** Returns the same with another longest wait. */
  public FrontSettings withMaxWait(Duration value) {
    return new FrontSettings(policy, value, requests, roles, knowledge, listener);
  }

  /** Returns the same with another view of the requests. */
  public FrontSettings withRequests(RequestView value) {
    return new FrontSettings(policy, maxWait, value, roles, knowledge, listener);
  }

  /** Returns the same for callers that say how soon they want the first token. */
  public FrontSettings withSlo(Duration sloTtft) {
    return withRequests(TraceRequests.STANDARD.withSlo(sloTtft));
  }

  /** Returns the same with another time from the append of a request to its deadline. */
  public FrontSettings withTimeout(Duration timeout) {
    return withTimeouts(request -> timeout);
  }

  /** Returns the same with times from the append of each request to its deadline. */
  public FrontSettings withTimeouts(Function<FleetRequest, Duration> timeouts) {
    return withRequests(TraceRequests.STANDARD.withTimeouts(timeouts));
  }

  /** Returns the same for callers that are several tenants. */
  public FrontSettings withTenants(Function<FleetRequest, String> tenants) {
    return withRequests(TraceRequests.STANDARD.withTenants(tenants));
  }

  /** Returns the same for callers that name as {@code max_tokens} what the answer will have. */
  public FrontSettings withMaxTokens() {
    return withRequests(TraceRequests.STANDARD.withMaxTokens());
  }

  /** Returns the same with other workers. */
  public FrontSettings withRoles(List<WorkerRole> value) {
    return new FrontSettings(policy, maxWait, requests, value, knowledge, listener);
  }

  /** Returns the same for a router that knows otherwise what the engines have cached. */
  public FrontSettings withKnowledge(CacheKnowledge value) {
    return new FrontSettings(policy, maxWait, requests, roles, value, listener);
  }

  /** Returns the same with another listener. */
  public FrontSettings withListener(SchedulerListener value) {
    return new FrontSettings(policy, maxWait, requests, roles, knowledge, value);
  }
}
