@NullMarked
package io.nodepool.deploy;

import org.jspecify.annotations.NullMarked;
