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
import java.time.Clock;

/**
 * The router's beans; they exist where a {@link RouterConfig} was given, so that other services may
 * share the class path.
 */
@Factory
@Requires(beans = RouterConfig.class)
final class RouterBeans {

  @Context
  @Bean(preDestroy = "close")
  RouterCore core(RouterConfig config, MeterRegistry registry, Clock wallClock) {
    RouterCore core =
        new RouterCore(
            config, new RouterMetrics(registry), new BreakerMetrics(registry), wallClock);
    Gauge.builder("sluice.router.pending", core.backlog(), backlog -> backlog.pending())
        .description("Requests that wait for a worker")
        .register(registry);
    Gauge.builder("sluice.router.pending.bytes", core.backlog(), backlog -> backlog.pendingBytes())
        .description("How much of the heap they take, at most")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.ended.bytes", core.endedLimit(), ended -> ended.bytes())
        .description("How much of the heap it takes to remember requests that are over")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.pending.bulk", core.backlog(), backlog -> backlog.pendingBulk())
        .description("Bulk requests among them")
        .register(registry);
    Gauge.builder("sluice.router.bulk.parked", core, running -> running.parkedBulk())
        .description("Requests of the bulk topic that have not entered")
        .register(registry);
    Gauge.builder("sluice.router.unwritten.bytes", core, running -> running.unwrittenBytes())
        .description("Of records that are not in their topics yet")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("sluice.router.leases", core.ledger(), Ledger::leases)
        .description("Requests that this router has at workers")
        .register(registry);
    for (String lane : config.lanes().names()) {
      for (Priority priority : Priority.values()) {
        waiting(core.backlog(), lane, priority, registry);
      }
    }
    FunctionCounter.builder(
            "sluice.router.decisions.dropped", core.decisions(), DecisionPublisher::dropped)
        .description("Decisions that were not written to sluice.decisions")
        .register(registry);
    Gauge.builder(
            "sluice.router.workers", core, running -> running.fleet().current().workers().size())
        .description("Workers known")
        .register(registry);
    Gauge.builder(
            "sluice.router.fleet.fresh", core, running -> running.fleet().current().fresh() ? 1 : 0)
        .description("Whether the registry was heard of in the last second")
        .register(registry);
    Gauge.builder(
            "sluice.router.fleet.age",
            core,
            running -> running.fleet().current().age().toMillis() / 1e3)
        .description("Since the registry was last read as a whole")
        .baseUnit("seconds")
        .register(registry);
    peers(core.peerTraffic(), registry);
    return core;
  }

  private static void peers(PeerTraffic traffic, MeterRegistry registry) {
    FunctionCounter.builder("sluice.router.peers.published", traffic, PeerTraffic::published)
        .description("Messages that told other routers what this one sent")
        .register(registry);
    FunctionCounter.builder("sluice.router.peers.received", traffic, PeerTraffic::received)
        .description("Such messages of other routers")
        .register(registry);
    FunctionCounter.builder("sluice.router.peers.dropped", traffic, PeerTraffic::dropped)
        .description("Assignments of which other routers were not told")
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
        .description("Their tokens, prompt and output together")
        .tags("lane", lane, "priority", priority.headerValue())
        .register(registry);
  }
}
