@NullMarked
package io.nodepool.cli.kubectl;

import org.jspecify.annotations.NullMarked;
