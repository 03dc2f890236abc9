/** What the embedded backends share: their ports on this machine and the way they fail to start. */
@NullMarked
package io.sluice.standalone.backend;

import org.jspecify.annotations.NullMarked;
