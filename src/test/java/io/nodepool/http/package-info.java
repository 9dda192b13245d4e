@NullMarked
package io.nodepool.http;

import org.jspecify.annotations.NullMarked;
