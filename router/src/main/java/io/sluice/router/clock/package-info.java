/** What time it is in a pool whose machines need not agree about it. */
@NullMarked
package io.sluice.router.clock;

import org.jspecify.annotations.NullMarked;
