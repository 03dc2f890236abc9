/**
 * The HTTP gateway. Its beans exist only in a gateway's own context: a process may also have
 * contexts of other services.
 */
@Configuration
@Requires(property = Service.PROPERTY, value = Service.GATEWAY)
@NullMarked
package io.sluice.gateway;

import io.micronaut.context.annotation.Configuration;
import io.micronaut.context.annotation.Requires;
import org.jspecify.annotations.NullMarked;
