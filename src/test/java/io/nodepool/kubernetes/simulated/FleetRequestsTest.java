package io.nodepool.kubernetes.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.simulated.DataCentre;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FleetRequestsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");
  private static final Machine MACHINE =
      new Machine(
          "turin-gp", new Machine.Location("Z", "Z", "r", "dh1-r", 3), Machine.Interconnect.NONE);

  private final FleetRequests requests = new FleetRequests("default", "nodepool-system");

  @Test
  void aReportTestsTheStateItWasDecidedOn() throws Exception {
    JsonNode patch =
        json(
            requests.report(
                host(Optional.of(assignment())),
                new Host.Report(HostPhase.RUNNING, 2, "b", "c", NOW)));

    assertThat(patch)
        .isEqualTo(
            json(
                """
                [{"op": "test", "path": "/metadata/uid", "value": "u"},
                 {"op": "test", "path": "/spec/tenancy", "value": 2},
                 {"op": "test", "path": "/spec/assignment/poolUid", "value": "pool-uid"},
                 {"op": "add", "path": "/status", "value": {"phase": "Running", "tenancy": 2, "bootId": "b",
                  "bootedConfiguration": "c", "since": "2026-11-21T05:00:00Z", "spot": false}}]
                """));
  }

  @Test
  void aReportOfAnUnassignedHostTestsThatItIsUnassigned() throws Exception {
    JsonNode patch =
        json(
            requests.report(
                host(Optional.empty()), new Host.Report(HostPhase.FREE, 2, "", "", NOW)));

    assertThat(patch.get(2))
        .isEqualTo(json("{\"op\": \"test\", \"path\": \"/spec/assignment\", \"value\": null}"));
  }

  @Test
  void aHostIsCreatedWithItsMachineAndTheNameOfItsFleet() throws Exception {
    JsonNode host = json(requests.createHost(new DataCentre.Slot("gabcdef", MACHINE, true)));

    assertThat(host.at("/metadata/name").asText()).isEqualTo("gabcdef");
    assertThat(host.at("/metadata/labels").get("fleet.nodepool.io/fleet").asText())
        .isEqualTo("default");
    assertThat(host.at("/spec/machine/slot").asText()).isEqualTo("3");
    assertThat(host.has("status")).isFalse();
  }

  @Test
  void aDeletionNamesTheUid() throws Exception {
    assertThat(json(requests.end("ns", "p", "u")))
        .isEqualTo(
            json(
                """
                {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "u"}, "gracePeriodSeconds": 0}
                """));
    assertThat(json(requests.deleteHost(new HostId("gabcdef", "u"), 7)).get("preconditions"))
        .isEqualTo(json("{\"uid\": \"u\", \"resourceVersion\": \"7\"}"));
  }

  private static Assignment assignment() {
    return new Assignment(
        new PoolId("p", "pool-uid"), "default", "assign/1", NOW, NodeTemplate.EMPTY);
  }

  private static Host host(Optional<Assignment> assignment) {
    return new Host(
        new HostId("gabcdef", "u"),
        1,
        MACHINE,
        new Host.Occupancy(2, assignment, "c", Host.Power.ON),
        DeliveryHistory.CLEAN,
        new Host.Report(HostPhase.FREE, 1, "", "", NOW));
  }

  private static JsonNode json(ApiRequest request) throws Exception {
    return json(request.body());
  }

  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text);
  }
}
