/** What the producer's tests have in common. */
@NullMarked
package io.sluice.producer.testing;

import org.jspecify.annotations.NullMarked;
