/** Quotas of tenants, counted in Redis for all gateways together. */
@NullMarked
package io.sluice.fleet.quota;

import org.jspecify.annotations.NullMarked;
