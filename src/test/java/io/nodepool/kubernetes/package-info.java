@NullMarked
package io.nodepool.kubernetes;

import org.jspecify.annotations.NullMarked;
