/** What the live view of {@code nodepool dev} shows, and how it is laid out. Pure. */
@NullMarked
package io.nodepool.cli.view;

import org.jspecify.annotations.NullMarked;
