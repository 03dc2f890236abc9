/** TODO. */
@NullMarked
package io.sluice.common;

import org.jspecify.annotations.NullMarked;
