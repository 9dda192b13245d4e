/** {@code nodepool demo}: the documentation's drills, step by step on a local cluster. */
@NullMarked
package io.nodepool.cli.demo;

import org.jspecify.annotations.NullMarked;
