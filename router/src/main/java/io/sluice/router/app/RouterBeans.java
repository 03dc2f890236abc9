package io.sluice.router.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.sluice.common.protocol.Priority;
import io.sluice.router.explain.DecisionPublisher;
import io.sluice.router.peers.PeerTraffic;
import io.sluice.router.placement.Ledger;
import io.sluice.router.queue.Backlog;
import io.sluice.router.stream.RouterTopology;
import io.sluice.tracing.Tracing;
import jakarta.inject.Singleton;
import java.time.Clock;

/**
 * The router's beans; they exist where a {@link RouterConfig} was given, so that other services may
 * share the class path.
 */
@Factory
@Requires(beans = RouterConfig.class)
final class RouterBeans {

  @Singleton
  @Bean(preDestroy = "close")
  Tracing tracing(RouterConfig config, Clock wallClock) {
    return Tracing.open(config.trace(), "sluice-router", config.id(), wallClock);
  }

  @Context
  @Bean(preDestroy = "close")
  RouterCore core(RouterConfig config, MeterRegistry registry, Tracing tracing, Clock wallClock) {
    RouterCore core =
        new RouterCore(
            config,
            new RouterMetrics(registry, config.lanes()),
            new BreakerMetrics(registry),
            new DemandMetrics(registry),
            tracing.tracer(),
            wallClock);
    Gauge.builder("sluice.router.pending", core.backlog(), backlog -> backlog.pending())
        .description("Requests that wait for a worker")
        .register(registry);
    Gauge.builder("sluice.router.pending.bytes", core.backlog(), backlog -> backlog.pendingBytes())
        .description("Upper bound of the heap that waiting requests take")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.ended.bytes", core.endedLimit(), ended -> ended.bytes())
        .description("Heap that remembered ended requests take")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.pending.bulk", core.backlog(), backlog -> backlog.pendingBulk())
        .description("Bulk requests that wait for a worker")
        .register(registry);
    Gauge.builder("sluice.router.bulk.parked", core, running -> running.parkedBulk())
        .description("Requests parked in the bulk topic")
        .register(registry);
    Gauge.builder("sluice.router.unwritten.bytes", core, running -> running.unwrittenBytes())
        .description("Bytes of records that are not written to their topics yet")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.leases", core.ledger(), Ledger::leases)
        .description("Leases of this router at all workers")
        .register(registry);
    for (String lane : config.lanes().names()) {
      for (Priority priority : Priority.values()) {
        waiting(core.backlog(), lane, priority, registry);
      }
    }
    FunctionCounter.builder(
            "sluice.router.decisions.dropped", core.decisions(), DecisionPublisher::dropped)
        .description("Routing decisions that were not written to sluice.decisions")
        .register(registry);
    Gauge.builder(
            "sluice.router.workers", core, running -> running.fleet().current().workers().size())
        .description("Number of known workers")
        .register(registry);
    Gauge.builder(
            "sluice.router.fleet.fresh", core, running -> running.fleet().current().fresh() ? 1 : 0)
        .description("1 if Redis was reached in the last second, otherwise 0")
        .register(registry);
    Gauge.builder(
            "sluice.router.fleet.age",
            core,
            running -> running.fleet().current().age().toMillis() / 1e3)
        .description("Time since the last complete read of the workers in Redis")
        .baseUnit("seconds")
        .register(registry);
    for (String name : core.dependencies().names()) {
      Gauge.builder(
              "sluice.router.dependency.up",
              core.dependencies(),
              watch -> watch.state(name).isUp() ? 1 : 0)
          .description("1 if the dependency answers, otherwise 0")
          .tag("dependency", name)
          .register(registry);
    }
    for (String topic : RouterTopology.inputs(config.lanes())) {
      Gauge.builder("sluice.router.lag", core, running -> running.lag(topic))
          .description("Records of a topic that this router has not read yet")
          .baseUnit("records")
          .tag("topic", topic)
          .register(registry);
    }
    peers(core.peerTraffic(), registry);
    return core;
  }

  private static void peers(PeerTraffic traffic, MeterRegistry registry) {
    FunctionCounter.builder("sluice.router.peers.published", traffic, PeerTraffic::published)
        .description("Messages to other routers about dispatched requests")
        .register(registry);
    FunctionCounter.builder("sluice.router.peers.received", traffic, PeerTraffic::received)
        .description("Messages from other routers about dispatched requests")
        .register(registry);
    FunctionCounter.builder("sluice.router.peers.dropped", traffic, PeerTraffic::dropped)
        .description("Assignments that other routers were not told about")
        .register(registry);
  }

  private static void waiting(
      Backlog backlog, String lane, Priority priority, MeterRegistry registry) {
    Gauge.builder("sluice.router.waiting", backlog, from -> from.waiting(lane, priority).requests())
        .description("Requests that wait for a worker, by lane and priority")
        .tags("lane", lane, "priority", priority.headerValue())
        .register(registry);
    Gauge.builder(
            "sluice.router.waiting.tokens", backlog, from -> from.waiting(lane, priority).tokens())
        .description("Prompt and output tokens of the requests that wait for a worker")
        .tags("lane", lane, "priority", priority.headerValue())
        .register(registry);
  }
}
