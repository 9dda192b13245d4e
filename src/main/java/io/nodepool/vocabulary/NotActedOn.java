package io.nodepool.vocabulary;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what is accepted and stored, or known by its word, and not acted on yet: a field of a
 * resource with all that is in it, a reason, an Event, a key. The reference pages and {@code
 * kubectl explain} say so.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface NotActedOn {}
