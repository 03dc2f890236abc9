/**
 * Where a request goes now: the fleet as the policy sees it, less what was sent since, and the
 * slots and capacity that this router has reserved at workers. Pure: time is an argument.
 */
@NullMarked
package io.sluice.router.placement;

import org.jspecify.annotations.NullMarked;
