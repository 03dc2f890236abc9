/** Sluice in virtual time: the router's and the worker's own code, without Kafka and Redis. */
@NullMarked
package io.sluice.bench.fleet.sluice;

import org.jspecify.annotations.NullMarked;
