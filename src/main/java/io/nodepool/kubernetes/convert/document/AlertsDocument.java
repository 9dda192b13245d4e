package io.nodepool.kubernetes.convert.document;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.convert.UnreadableObjectException;

/** A user's changes of the alert catalogue, as YAML in a ConfigMap (decision D271). */
public final class AlertsDocument {
  /** Name of the ConfigMap, which is in the operator's namespace. */
  public static final String NAME = AlertCatalogue.CONFIG_MAP;

  /** The key of its data that contains the document. */
  public static final String KEY = "alerts.yaml";

  private AlertsDocument() {}

  /**
   * The alerts that ship with the operator, with the changes of a ConfigMap.
   *
   * @throws UnreadableObjectException if anything in it is wrong; the message names the line and
   *     states what is required
   */
  public static AlertCatalogue read(ConfigMap map) {
    String text = map.getData() == null ? null : map.getData().get(KEY);
    if (text == null) {
      throw new UnreadableObjectException("it has no key %s; name the document so.".formatted(KEY));
    }
    try {
      return AlertCatalogue.shipped().changedBy(KEY, text);
    } catch (IllegalArgumentException e) {
      throw new UnreadableObjectException(String.valueOf(e.getMessage()));
    }
  }
}
