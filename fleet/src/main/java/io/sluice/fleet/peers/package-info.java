/** What routers tell each other. */
@NullMarked
package io.sluice.fleet.peers;

import org.jspecify.annotations.NullMarked;
