package io.nodepool.model;

import java.util.Optional;

/**
 * A Namespace with the facts that decisions use.
 *
 * @param terminating whether it is being deleted
 * @param organization the owner that one of its labels names; empty without that label
 */
public record Namespace(
    String name, String uid, long version, boolean terminating, Optional<String> organization) {}
