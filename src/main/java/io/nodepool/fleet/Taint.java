package io.nodepool.fleet;

/**
 * A Node taint; key and effect together identify it.
 *
 * @param value the value; empty text if there is none
 */
public record Taint(String key, String value, String effect) {
  /** Whether key and effect are the same, whatever the values. */
  public boolean isSame(Taint other) {
    return key.equals(other.key) && effect.equals(other.effect);
  }

  /** The taint as {@code kubectl} writes it: {@code key=value:effect}, or {@code key:effect}. */
  public String text() {
    return value.isEmpty() ? key + ":" + effect : key + "=" + value + ":" + effect;
  }
}
