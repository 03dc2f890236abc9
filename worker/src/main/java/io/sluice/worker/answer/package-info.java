/** What the frames of an engine become: held back, stripped, gathered into records, collected. */
@NullMarked
package io.sluice.worker.answer;

import org.jspecify.annotations.NullMarked;
