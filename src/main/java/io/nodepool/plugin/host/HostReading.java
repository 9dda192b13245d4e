package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.util.Optional;

/** A Host as the operator reads it. */
final class HostReading {
  private HostReading() {}

  /**
   * The Host; empty while its fleet has not reported about it.
   *
   * @throws UnreadableObjectException if a field has a value that this version does not know
   */
  static Optional<Host> of(JsonNode object) throws UnreadableObjectException {
    return HostConversion.host(ApiSerialization.shared().convertValue(object, HostResource.class));
  }
}
