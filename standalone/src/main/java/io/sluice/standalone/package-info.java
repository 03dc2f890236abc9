/** TODO. */
@NullMarked
package io.sluice.standalone;

import org.jspecify.annotations.NullMarked;
