/** TODO. */
@NullMarked
package io.sluice.producer;

import org.jspecify.annotations.NullMarked;
