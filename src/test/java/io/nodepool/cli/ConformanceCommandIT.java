package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithLocalCluster
class ConformanceCommandIT {
  private static final String NAME = "conformance-it";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @Test
  void theDataCentrePasses(LocalCluster cluster, KubernetesClient admin) throws Exception {
    Crds.install(admin);
    Manifests.applyNamespace(admin, NAME);
    releaseLease(admin);
    Manifests.parse("fleet", fleet()).forEach(each -> each.apply(admin));
    Path junit = folder.resolve("junit.xml");
    try (SimulatedFleetController _ =
        SimulatedFleetController.start(
            admin.getConfiguration(),
            new SimulatedFleetController.Settings(NAME, NAME, 10, InstantSource.system()))) {
      // An API server may not serve the CRDs yet.
      Awaitility.await().ignoreExceptions().until(() -> free(admin) == 2);

      int code =
          conformance(
              cluster,
              "--hosts=2",
              "--cycles=2",
              "--rest=1s",
              "--deadline=60s",
              "--restart-command=true",
              "--junit=" + junit,
              "-o",
              "json");

      JsonNode report = new ObjectMapper().readTree(out.toString());
      assertThat(code).as(out.toString()).isEqualTo(ExitCodes.DONE);
      assertThat(report.get("failed").intValue()).isZero();
      assertThat(report.get("passed").intValue()).isGreaterThanOrEqualTo(30);
      assertThat(Files.readString(junit))
          .contains(
              "failures=\"0\"", "<testcase classname=\"nodepool.conformance\" name=\"killed\">");
      assertThat(free(admin)).isEqualTo(2);
    } finally {
      admin.resources(SimulatedFleet.class).withName(NAME).delete();
      admin.resources(HostResource.class).withLabel("fleet.nodepool.io/fleet", NAME).delete();
    }
  }

  @Test
  void anOperatorThatHoldsTheLeaseIsInTheWay(LocalCluster cluster, KubernetesClient admin)
      throws Exception {
    admin
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withName("nodepool-operator")
                .withNamespace(OperatorRuntime.LEASE_NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("an-operator")
                .withLeaseDurationSeconds(600)
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .endSpec()
                .build())
        .serverSideApply();
    try {
      assertThat(conformance(cluster)).isEqualTo(ExitCodes.FAILED);
      assertThat(err.toString()).contains("An operator holds the Lease: an-operator.");
    } finally {
      releaseLease(admin);
    }
  }

  private int conformance(LocalCluster cluster, String... options) throws Exception {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    List<String> line = new ArrayList<>(List.of("conformance", "--kubeconfig=" + kubeconfig));
    line.add("--namespace=" + NAME);
    line.addAll(List.of(options));
    return Main.run(
        new PrintWriter(out, true), new PrintWriter(err, true), line.toArray(String[]::new));
  }

  private static long free(KubernetesClient admin) {
    return admin
        .resources(HostResource.class)
        .withLabel("fleet.nodepool.io/fleet", NAME)
        .list()
        .getItems()
        .stream()
        .filter(host ->
            host.getStatus() != null && "FREE".equals(String.valueOf(host.getStatus().phase)))
        .count();
  }

  private static void releaseLease(KubernetesClient admin) {
    admin
        .resources(Lease.class)
        .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
        .withName("nodepool-operator")
        .delete();
  }

  private static String fleet() {
    return """
    apiVersion: fleet.nodepool.io/v1alpha1
    kind: SimulatedFleet
    metadata: {name: conformance-it}
    spec:
      zone: US-EAST-04A
      seed: 3
      racks: [{name: "101", instanceType: gd-8xh100ib-i128, hosts: 2}]
      timings: {bootMin: 10s, bootMax: 20s, clean: 10s, reboot: 20s, verification: 5s}
      configurations: [{name: image-1}, {name: image-2}]
    """;
  }
}
