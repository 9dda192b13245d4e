@NullMarked
package io.nodepool.cli.bench;

import org.jspecify.annotations.NullMarked;
