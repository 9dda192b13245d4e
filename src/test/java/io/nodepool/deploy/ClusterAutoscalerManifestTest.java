package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The example manifest of the cluster-autoscaler. The rights are those that its releases 1.34.5 and
 * 1.36.1 were seen to use from the first to the last request of a run.
 */
class ClusterAutoscalerManifestTest {
  private static final Pattern IMAGE =
      Pattern.compile(
          "registry\\.k8s\\.io/autoscaling/cluster-autoscaler:v1\\.(?<minor>\\d+)\\.(?<patch>\\d+)");

  @Test
  void itConsistsOfAnAccountItsRightsAndTheProgram() {
    assertThat(ClusterAutoscalerManifest.objects())
        .extracting(object -> object.get("kind").asText())
        .containsExactly(
            "Namespace",
            "ServiceAccount",
            "ClusterRole",
            "ClusterRoleBinding",
            "Role",
            "RoleBinding",
            "Deployment");
    assertThat(ClusterAutoscalerManifest.objects())
        .extracting(object -> object.at("/metadata/name").asText())
        .containsOnly(ClusterAutoscalerManifest.NAME);
    assertThat(
            Stream.of("ServiceAccount", "Role", "RoleBinding", "Deployment")
                .map(ClusterAutoscalerManifest::the)
                .map(object -> object.at("/metadata/namespace").asText()))
        .containsOnly(ClusterAutoscalerManifest.NAME);
  }

  @Test
  void whatTheProviderAndTheEvictionsWriteIsGrantedAndNoMore() {
    assertThat(reading(false))
        .containsExactlyInAnyOrder(
            "patch compute.coreweave.com/nodepools",
            "update /nodes",
            "create /pods/eviction",
            "create /events",
            "patch /events");
    assertThat(ClusterAutoscalerManifest.rights("Role"))
        .containsExactlyInAnyOrder(
            "create coordination.k8s.io/leases",
            "get coordination.k8s.io/leases[cluster-autoscaler]",
            "update coordination.k8s.io/leases[cluster-autoscaler]",
            "create /configmaps",
            "get /configmaps[cluster-autoscaler-status]",
            "update /configmaps[cluster-autoscaler-status]",
            "delete /configmaps[cluster-autoscaler-status]");
  }

  @Test
  void whatItListsAndWatchesIsGrantedAndNoMore() {
    assertThat(reading(true))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of(
                        "get compute.coreweave.com/nodepools",
                        "list compute.coreweave.com/nodepools",
                        "get /nodes"),
                    Stream.of(
                            "/nodes",
                            "/namespaces",
                            "/persistentvolumeclaims",
                            "/persistentvolumes",
                            "/pods",
                            "/replicationcontrollers",
                            "/services",
                            "apps/daemonsets",
                            "apps/replicasets",
                            "apps/statefulsets",
                            "batch/jobs",
                            "policy/poddisruptionbudgets",
                            "storage.k8s.io/csidrivers",
                            "storage.k8s.io/csinodes",
                            "storage.k8s.io/csistoragecapacities",
                            "storage.k8s.io/storageclasses",
                            "storage.k8s.io/volumeattachments",
                            "resource.k8s.io/deviceclasses",
                            "resource.k8s.io/resourceclaims",
                            "resource.k8s.io/resourceslices")
                        .flatMap(each -> Stream.of("list " + each, "watch " + each)))
                .toList());
  }

  private static List<String> reading(boolean wanted) {
    return ClusterAutoscalerManifest.rights("ClusterRole").stream()
        .filter(right -> right.matches("(get|list|watch) .*") == wanted)
        .toList();
  }

  @Test
  void noRightIsGivenByAWildcard() {
    assertThat(ClusterAutoscalerManifest.rights("ClusterRole"))
        .noneMatch(right -> right.contains("*"));
    assertThat(ClusterAutoscalerManifest.rights("Role")).noneMatch(right -> right.contains("*"));
  }

  @Test
  void theRightsAreTheAccountsAndNobodyElses() {
    for (String kind : List.of("ClusterRole", "Role")) {
      JsonNode binding = ClusterAutoscalerManifest.the(kind + "Binding");
      assertThat(binding.at("/roleRef/kind").asText()).isEqualTo(kind);
      assertThat(binding.at("/roleRef/name").asText()).isEqualTo(ClusterAutoscalerManifest.NAME);
      assertThat(binding.get("subjects")).hasSize(1);
      JsonNode subject = binding.at("/subjects/0");
      assertThat(
              "system:serviceaccount:%s:%s"
                  .formatted(subject.get("namespace").asText(), subject.get("name").asText()))
          .isEqualTo(ClusterAutoscalerManifest.USER);
    }
    assertThat(pod().get("serviceAccountName").asText()).isEqualTo(ClusterAutoscalerManifest.NAME);
  }

  @Test
  void itIsAReleaseThatKnowsHowToShrinkAndToStartFromZero() {
    MatchResult image =
        IMAGE.matcher(container().get("image").asText()).results().findFirst().orElseThrow();
    int minor = Integer.parseInt(image.group("minor"));
    int patch = Integer.parseInt(image.group("patch"));

    assertThat(minor).isGreaterThanOrEqualTo(34);
    assertThat(minor > 34 || patch >= 3)
        .as("1.34.0 to 1.34.2 grow where they should shrink")
        .isTrue();
  }

  @Test
  void itStaysOffNodesOfPools() {
    JsonNode required =
        pod()
            .at(
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
    assertThat(required).hasSize(1);
    assertThat(required.at("/0/matchExpressions/0/key").asText())
        .isEqualTo(NodeLabels.NODE_POOL.key());
    assertThat(required.at("/0/matchExpressions/0/operator").asText()).isEqualTo("DoesNotExist");
  }

  @Test
  void itWaitsLongerForANodeThanOneTakesThatFailsOnceAndComesThen() {
    PlanSettings settings = PlanSettings.DEFAULTS;
    Duration once = settings.delivery().deadline().plus(settings.delivery().registrationDeadline());

    assertThat(duration("--max-node-provision-time=")).isGreaterThan(once);
    assertThat(argument("--cloud-provider=")).isEqualTo("coreweave");
    assertThat(argument("--namespace=")).isEqualTo(ClusterAutoscalerManifest.NAME);
  }

  @Test
  void onlyNodesWithoutWorkAreItsToRemove() {
    assertThat(argument("--scale-down-utilization-threshold=")).isEqualTo("0");
    assertThat(argument("--ignore-daemonsets-utilization=")).isEqualTo("true");
  }

  private static Duration duration(String flag) {
    return Duration.parse("PT" + argument(flag).toUpperCase(Locale.ROOT));
  }

  private static String argument(String flag) {
    List<String> found =
        Chart.texts(container().get("args")).stream()
            .filter(argument -> argument.startsWith(flag))
            .toList();
    assertThat(found).as(flag).hasSize(1);
    return found.getFirst().substring(flag.length());
  }

  private static JsonNode container() {
    return pod().at("/containers/0");
  }

  private static JsonNode pod() {
    return ClusterAutoscalerManifest.the("Deployment").at("/spec/template/spec");
  }
}
