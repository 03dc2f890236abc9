/**
 * Time limits of connections: of requests that come slowly, of clients that read slowly, and of
 * those that do neither.
 */
@NullMarked
package io.sluice.gateway.http.timeout;

import org.jspecify.annotations.NullMarked;
