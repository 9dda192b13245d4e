package io.nodepool.world;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.convert.ComponentRepairConversion;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;

/** A Host of the virtual world as the JSON object of a real API server. */
public final class HostObject {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HostObject() {}

  /** The object, without its version. */
  public static JsonNode of(Host host) {
    ObjectNode object = JSON.createObjectNode();
    object.putObject("metadata").put("name", host.id().name()).put("uid", host.id().uid());
    ObjectNode spec = object.putObject("spec");
    spec.set("machine", JSON.valueToTree(HostConversion.machine(host.machine())));
    spec.put("tenancy", host.tenancy());
    spec.put("power", host.power() == Host.Power.ON ? "On" : "Off");
    host.assignment()
        .ifPresent(
            held -> spec.set("assignment", JSON.valueToTree(HostConversion.assignment(held))));
    host.boot().ifPresent(boot -> spec.set("boot", JSON.valueToTree(HostConversion.boot(boot))));
    host.occupancy()
        .repairs()
        .forEach(repair ->
            spec.withObjectProperty("repairs")
                .set(repair.alert(), JSON.valueToTree(ComponentRepairConversion.request(repair))));
    if (!host.past().isEmpty()) {
      spec.set("pastRepairs", JSON.valueToTree(HostConversion.past(host.past())));
    }
    host.deliveries()
        .failure()
        .ifPresent(failure ->
            spec.set("deliveryFailures", JSON.valueToTree(HostConversion.failures(failure))));
    if (!host.configuration().isEmpty()) {
      spec.put("configuration", host.configuration());
    }
    host.occupancy()
        .fenced()
        .ifPresent(fenced -> spec.set("fenced", JSON.valueToTree(HostConversion.fenced(fenced))));
    if (host.deliveries().isSetAside()) {
      spec.put("setAside", host.deliveries().setAside());
    }
    object.set("status", JSON.valueToTree(HostReportConversion.status(host.report())));
    return read(object.toString());
  }

  /** A JSON text; numbers of the same value are equal then. */
  static JsonNode read(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
