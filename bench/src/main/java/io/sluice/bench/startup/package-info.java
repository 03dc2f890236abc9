/** How long a user waits for commands of the launcher. */
@NullMarked
package io.sluice.bench.startup;

import org.jspecify.annotations.NullMarked;
