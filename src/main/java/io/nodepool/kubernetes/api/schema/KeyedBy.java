package io.nodepool.kubernetes.api.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a list whose elements are identified by some of their fields, so that several owners may
 * each apply their own elements.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface KeyedBy {
  /** The names of the fields that identify an element. */
  String[] value();
}
