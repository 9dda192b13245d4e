/** The content and layout of the live view of {@code nodepool dev}. Pure. */
@NullMarked
package io.nodepool.cli.view;

import org.jspecify.annotations.NullMarked;
