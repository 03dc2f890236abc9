/** What the embedded backends share: local ports, and the exception when one cannot start. */
@NullMarked
package io.sluice.standalone.backend;

import org.jspecify.annotations.NullMarked;
