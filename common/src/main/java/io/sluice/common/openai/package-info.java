/** What requests and answers of the OpenAI API look like, whoever reads or writes them. */
@NullMarked
package io.sluice.common.openai;

import org.jspecify.annotations.NullMarked;
