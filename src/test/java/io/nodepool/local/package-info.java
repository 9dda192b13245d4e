/** Tests of the local control plane, and the extension that gives other tests one. */
@org.jspecify.annotations.NullMarked
package io.nodepool.local;
