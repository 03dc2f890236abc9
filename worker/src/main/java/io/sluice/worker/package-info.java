/** TODO. */
@NullMarked
package io.sluice.worker;

import org.jspecify.annotations.NullMarked;
