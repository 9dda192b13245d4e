package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.List;
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
                 {"op": "test", "path": "/status/phase", "value": "Free"},
                 {"op": "test", "path": "/status/bootId", "value": null},
                 {"op": "test", "path": "/status/boot", "value": null},
                 {"op": "test", "path": "/spec/power", "value": "On"},
                 {"op": "test", "path": "/spec/boot", "value": null},
                 {"op": "add", "path": "/status", "value": {"phase": "Running", "tenancy": 2, "bootId": "b",
                  "bootedConfiguration": "c", "since": "2026-11-21T05:00:00Z", "spot": false}}]
                """));
  }

  @Test
  void aReportAboutABootTestsTheBootAndItsRequest() throws Exception {
    BootRequest request = BootRequest.first("b1", BootKind.REBOOT, "op-1", NOW, Optional.empty());
    Host.Boot last = Host.Boot.of("b1", "c").withCycles(2);
    Host plain = host(Optional.of(assignment()));
    Host seen =
        plain
            .withOccupancy(plain.occupancy().withBoot(Optional.of(request)))
            .withReport(new Host.Report(HostPhase.RUNNING, 2, "", "", NOW).withBoot(last));
    Host.Boot begun =
        last.withCycles(3).withCycle(Optional.of(new Host.Cycle("b1", 1, NOW, "", "")));

    assertThat(json(requests.report(seen, seen.report().withBoot(begun))))
        .isEqualTo(
            json(
                """
                [{"op": "test", "path": "/metadata/uid", "value": "u"},
                 {"op": "test", "path": "/spec/tenancy", "value": 2},
                 {"op": "test", "path": "/spec/assignment/poolUid", "value": "pool-uid"},
                 {"op": "test", "path": "/status/phase", "value": "Running"},
                 {"op": "test", "path": "/status/bootId", "value": "b1"},
                 {"op": "test", "path": "/status/reboots", "value": 2},
                 {"op": "test", "path": "/status/boot", "value": null},
                 {"op": "test", "path": "/spec/power", "value": "On"},
                 {"op": "test", "path": "/spec/boot/try", "value": 1},
                 {"op": "test", "path": "/spec/boot/kind", "value": "Reboot"},
                 {"op": "test", "path": "/spec/boot/from", "value": "b1"},
                 {"op": "test", "path": "/spec/boot/operation", "value": "op-1"},
                 {"op": "add", "path": "/status", "value": {"phase": "Running", "tenancy": 2, "bootId": "b1",
                  "bootedConfiguration": "c", "reboots": 3, "boot": {"from": "b1", "try": 1,
                  "startedAt": "2026-11-21T05:00:00Z"}, "since": "2026-11-21T05:00:00Z", "spot": false}}]
                """));
    JsonNode spot = json(requests.report(seen, seen.report().withSpot(Host.Spot.OFFERED)));
    assertThat(spot.findValuesAsText("path")).noneMatch(path -> path.startsWith("/spec/boot"));
    assertThat(spot.findValuesAsText("path")).contains("/status/bootId", "/status/reboots");
  }

  @Test
  void theFirstReportOfAHostTestsNoStatus() throws Exception {
    JsonNode patch =
        json(
            requests.firstReport(
                host(Optional.empty()), new Host.Report(HostPhase.FREE, 2, "", "", NOW)));

    assertThat(patch.findValuesAsText("path"))
        .containsExactly("/metadata/uid", "/spec/tenancy", "/spec/assignment", "/status");
  }

  private static NodeBlueprint.Booted booted(String bootId, String driverLabel) {
    NodeSystemInfo info = new NodeSystemInfo();
    info.setBootID(bootId);
    info.setKernelVersion("6.8.0-71");
    info.setKubeletVersion("v1.34.5");
    info.setOsImage("ncore-2");
    return new NodeBlueprint.Booted(info, driverLabel);
  }

  @Test
  void aNodeIsReportedNotReadyAndReadyWithTheBootOfItsMachine() throws Exception {
    Host running =
        host(Optional.of(assignment()))
            .withReport(new Host.Report(HostPhase.RUNNING, 2, "b2", "c", NOW));
    Host rebooting =
        running.withReport(
            running
                .report()
                .withBoot(
                    running
                        .report()
                        .boot()
                        .withCycle(Optional.of(new Host.Cycle("b2", 1, NOW, "", "")))));
    JsonNode down =
        json(
            requests.reportReadiness(
                new FleetAction.ReportReadiness(rebooting, "node-uid", false),
                booted("b2", "580.65.06"),
                NOW));
    JsonNode stillDown =
        json(
            requests.reportReadiness(
                new FleetAction.ReportReadiness(running, "node-uid", false),
                booted("b2", ""),
                NOW));
    JsonNode up =
        json(
            requests.reportReadiness(
                new FleetAction.ReportReadiness(running, "node-uid", true),
                booted("b2", "580.65.06"),
                NOW));

    assertThat(down.at("/metadata/uid").asText()).isEqualTo("node-uid");
    for (JsonNode each : List.of(down, up)) {
      assertThat(each.at("/metadata/labels"))
          .isEqualTo(json("{\"gpu.coreweave.cloud/driver-version\": \"580.65.06\"}"));
      assertThat(each.at("/status/nodeInfo"))
          .isEqualTo(
              json(
                  """
                  {"bootID": "b2", "kernelVersion": "6.8.0-71", "kubeletVersion": "v1.34.5", "osImage": "ncore-2"}
                  """));
    }
    assertThat(stillDown.at("/metadata/labels"))
        .isEqualTo(json("{\"gpu.coreweave.cloud/driver-version\": null}"));
    assertThat(down.at("/status/conditions")).hasSize(1);
    assertThat(down.at("/status/conditions/0/type").asText()).isEqualTo("Ready");
    assertThat(down.at("/status/conditions/0/status").asText()).isEqualTo("False");
    assertThat(down.at("/status/conditions/0/reason").asText()).isEqualTo("KubeletNotReady");
    assertThat(down.at("/status/conditions/0/message").asText()).isEqualTo("node is shutting down");
    assertThat(stillDown.at("/status/conditions/0/status").asText()).isEqualTo("False");
    assertThat(stillDown.at("/status/conditions/0/message").asText())
        .startsWith("container runtime network not ready");
    assertThat(up.at("/status/conditions").findValuesAsText("type"))
        .containsExactly("MemoryPressure", "DiskPressure", "PIDPressure", "Ready");
    assertThat(up.at("/status/conditions/3/status").asText()).isEqualTo("True");
    assertThat(up.at("/status/nodeInfo/bootID").asText()).isEqualTo("b2");
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
    assertThat(json(requests.end(new FleetAction.PodId("ns", "p", "u"))))
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
