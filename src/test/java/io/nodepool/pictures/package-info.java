/** Draws the pictures of {@code docs/architecture.md} from the code. */
package io.nodepool.pictures;
