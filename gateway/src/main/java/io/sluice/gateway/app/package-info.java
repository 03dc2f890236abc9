/** The assembly of a gateway: Micronaut's context, start and shutdown, health. */
@NullMarked
package io.sluice.gateway.app;

import org.jspecify.annotations.NullMarked;
