/** What the producer's tests have in common. */
@NullMarked
package io.sluice.cli.testing;

import org.jspecify.annotations.NullMarked;
