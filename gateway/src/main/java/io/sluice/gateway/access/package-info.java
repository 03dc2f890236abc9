/** Who calls, and what the caller may do. */
@NullMarked
package io.sluice.gateway.access;

import org.jspecify.annotations.NullMarked;
