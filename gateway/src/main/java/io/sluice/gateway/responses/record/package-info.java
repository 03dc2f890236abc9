/** The records of {@code sluice.responses}: what was asked, and what was deleted. */
@NullMarked
package io.sluice.gateway.responses.record;

import org.jspecify.annotations.NullMarked;
