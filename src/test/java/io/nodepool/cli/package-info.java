@NullMarked
package io.nodepool.cli;

import org.jspecify.annotations.NullMarked;
