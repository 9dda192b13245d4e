package io.nodepool.vocabulary;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an item that is defined and not acted on yet: a field of a resource with its subfields, a
 * reason, an Event, a key. The reference pages and {@code kubectl explain} show it.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface NotActedOn {}
