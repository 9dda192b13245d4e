package io.nodepool.kubernetes.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A list whose elements are told apart by fields of theirs, so that several owners may each apply
 * their own elements.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface KeyedBy {
  /** The names of the fields that identify an element. */
  String[] value();
}
