@NullMarked
package io.nodepool.plugin;

import org.jspecify.annotations.NullMarked;
