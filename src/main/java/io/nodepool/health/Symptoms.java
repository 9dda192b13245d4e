package io.nodepool.health;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The alerts of one machine that are symptoms of others.
 *
 * @param of by the name of the symptom, its cause
 */
public record Symptoms(SortedMap<String, Cause> of) {
  /** None. */
  public static final Symptoms NONE = new Symptoms(new TreeMap<>());

  /** An alert and the name of the Host about which it stands. */
  public record Cause(String alert, String host) {}

  public Symptoms {
    of = Collections.unmodifiableSortedMap(new TreeMap<>(of));
  }

  /** One symptom. */
  static Symptoms of(String symptom, String cause, String host) {
    SortedMap<String, Cause> one = new TreeMap<>();
    one.put(symptom, new Cause(cause, host));
    return new Symptoms(one);
  }

  /** These and others. */
  Symptoms and(Symptoms others) {
    SortedMap<String, Cause> all = new TreeMap<>(of);
    all.putAll(others.of);
    return new Symptoms(all);
  }

  /** The cause of this alert; empty if it is no symptom. */
  public Optional<Cause> find(String alert) {
    return Optional.ofNullable(of.get(alert));
  }
}
