/** Tests of the local control plane, and the extension that provides one to other tests. */
@org.jspecify.annotations.NullMarked
package io.nodepool.local;
