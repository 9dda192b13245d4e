package io.nodepool.model;

import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.util.Optional;

/**
 * A Namespace with the facts that decisions use.
 *
 * @param terminating whether it is being deleted
 * @param organization the owner that its label {@link NamespaceLabels#ORGANIZATION} names; empty if
 *     it has no such label
 */
public record Namespace(
    String name, String uid, long version, boolean terminating, Optional<String> organization) {}
