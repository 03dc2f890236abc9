/** How processes with the classes of a pool are started. */
@NullMarked
package io.sluice.standalone.launch;

import org.jspecify.annotations.NullMarked;
