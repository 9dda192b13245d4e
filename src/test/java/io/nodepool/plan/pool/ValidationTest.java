package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PoolFixture;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One row for each valid or invalid spec, with the message of an invalid one. */
class ValidationTest {
  private static final String VALID = "NodePool configuration is valid.";

  private static Validation.Validity check(PoolFixture fixture) {
    return new Validation(InstanceCatalogue.bundled()).check(fixture.seen());
  }

  private static Arguments row(UnaryOperator<PoolFixture> spec, String message) {
    return arguments(spec.apply(new PoolFixture()), message);
  }

  private static Stream<Arguments> invalid() {
    String n64 = "n".repeat(64);
    return Stream.of(
        row(s -> s.type("gd-8xh100ib-i129"), "Did you mean gd-8xh100ib-i128?"),
        row(s -> s.type("gd-8xa100-i128"), "is not available in zone US-EAST-04A; available are"),
        row(s -> s.named(n64), "it has 64 characters; at most 63 are allowed. Create another"),
        // Sizes.
        row(s -> s.noTarget(), "must have exactly one of targetNodes and targetRacks."),
        row(s -> s.racks(1).target(1), "must have exactly one of targetNodes and targetRacks."),
        row(s -> s.racks(1), "targetRacks is for rack types only"),
        row(s -> s.type(PoolFixture.RACK).target(17), "targetNodes is 17, right would be 0 or 18."),
        row(
            s -> s.type(PoolFixture.RACK).target(18).autoscaled(0, 36),
            "set autoscaling to false."),
        row(s -> s.target(1_000_001), "spec.targetNodes is 1000001; must be from 0 to 1000000."),
        row(s -> s.target(-1), "spec.targetNodes is -1; must be from 0 to 1000000."),
        row(
            s -> s.type(PoolFixture.RACK).racks(Integer.MAX_VALUE),
            "spec.targetRacks is 2147483647; must be from 0 to 50000."),
        row(s -> s.bounds(0, 1_000_001), "spec.maxNodes is 1000001; must be from 0 to 1000000."),
        row(s -> s.bounds(1_000_001, 0), "spec.minNodes is 1000001; must be from 0 to 1000000."),
        row(s -> s.autoscaled(5, 4), "spec.minNodes is 5 and spec.maxNodes 4"),
        // Other fields.
        row(s -> s.type(PoolFixture.RACK).target(18).computeClass("Spot"), "not available as spot"),
        row(s -> s.affinity("rack in ("), "Annotation nodepool.io/node-affinity cannot be read"),
        row(s -> s.affinity("topology.kubernetes.io/zone=X"), "admits no machine"),
        row(s -> s.gpuVersion("580.65.06"), "spec.gpu.version is 580.65.06; must be the major"),
        // Labels.
        row(
            s -> s.label("bad key", "x"),
            "spec.nodeLabels has the key \"bad key\": it must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit."),
        row(s -> s.label("a/b/c", ""), "\"a/b/c\": it has more than one slash"),
        row(s -> s.label("Example.com/a", ""), "before the slash must be a DNS subdomain"),
        row(s -> s.label(n64, ""), "it has 64 characters; at most 63 are allowed."),
        row(
            s -> s.label("team", "a b"),
            "spec.nodeLabels has the value \"a b\" with the key \"team\": it must consist of"),
        row(
            s -> s.label("x.coreweave.com/y", ""),
            "Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed."),
        // Annotations.
        row(s -> s.annotation("a b", "x"), "spec.nodeAnnotations has the key \"a b\": it must"),
        row(
            s -> s.annotation("node.alpha.kubernetes.io/ttl", "5"),
            "\"node.alpha.kubernetes.io/ttl\": Kubernetes sets it by itself."),
        row(
            s -> s.annotation("long", "x".repeat(130_000)),
            "spec.nodeAnnotations is too long: with the record that the operator keeps of it, a Node would have 260"),
        // Taints.
        row(s -> s.taint("a b", "", "NoExecute"), "spec.nodeTaints has the key \"a b\": it must"),
        row(
            s -> s.taint("a", "c d", "NoExecute"),
            "spec.nodeTaints has the value \"c d\" with the key \"a\": it must consist of"),
        row(s -> s.taint("a", "", "Never"), "must be one of NoSchedule, PreferNoSchedule"),
        row(
            s -> s.taint("a", "1", "NoExecute").taint("a", "2", "NoExecute"),
            "spec.nodeTaints has the key \"a\" with the effect NoExecute twice."));
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void invalidSpecs(PoolFixture spec, String message) {
    Validation.Validity validity = check(spec);

    assertThat(validity.finding().reason()).isEqualTo(ValidatedReason.INVALID);
    assertThat(validity.finding().message()).contains(message).endsWith(endOf(validity));
    assertThat(validity.mayGrow()).isFalse();
  }

  private static String endOf(Validation.Validity validity) {
    return validity.finding().message().endsWith("?") ? "?" : ".";
  }

  @ParameterizedTest
  @CsvSource({
    "node.kubernetes.io/disk-pressure, Kubernetes sets and removes taints under kubernetes.io and k8s.io by itself.",
    "kubernetes.io/x, Kubernetes sets and removes taints",
    "foo.k8s.io/x, Kubernetes sets and removes taints",
    "sunk.coreweave.com/lock, Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.",
    "node.coreweave.cloud/evict, Namespaces `*.coreweave.cloud`",
    "coreweave.cloud/x, Namespaces `*.coreweave.cloud`",
    "qos.coreweave.cloud/interruptable, Namespaces `*.coreweave.cloud`",
    "ToBeDeletedByClusterAutoscaler, the Cluster Autoscaler sets it on Nodes that it removes.",
    "DeletionCandidateOfClusterAutoscaler, the Cluster Autoscaler sets it",
    "fleet.nodepool.io/x, taints under nodepool.io are the operator's."
  })
  void taintsThatOtherClientsSetAndRemove(String key, String why) {
    assertThat(check(new PoolFixture().taint(key, "", "NoSchedule")).finding().message())
        .startsWith("spec.nodeTaints has the key \"" + key + "\": " + why);
  }

  private static Stream<Arguments> valid() {
    return Stream.of(
        row(s -> s, ""),
        row(s -> s.target(0), ""),
        row(s -> s.target(1_000_000), ""),
        row(s -> s.type(PoolFixture.RACK).racks(50_000), ""),
        row(s -> s.type(PoolFixture.RACK).target(36), ""),
        row(s -> s.target(1).autoscaled(3, 9), ""),
        row(s -> s.target(1).autoscaled(3, 0), ""),
        row(s -> s.bounds(9, 1), ""),
        row(s -> s.computeClass("Spot"), ""),
        row(
            s -> s.gpuVersion("580"),
            " spec.image and spec.gpu are without effect, since the fleet offers whole configurations."),
        row(s -> s.named("n".repeat(63)), ""),
        row(s -> s.label("cks.coreweave.cloud/system-critical", "true"), ""),
        row(s -> s.label("node.coreweave.cloud/dra-gpu-enabled", "true"), ""),
        row(s -> s.label("node-role.kubernetes.io/worker", ""), ""),
        row(s -> s.annotation("Example.com/Contact", "a b\nc"), ""),
        row(s -> s.annotation("long", "x".repeat(120_000)), ""),
        row(s -> s.taint("nvidia.com/gpu", "", "NoSchedule"), ""),
        row(s -> s.taint("a", "", "NoExecute").taint("a", "", "NoSchedule"), ""),
        row(s -> s.taint("notkubernetes.io/x", "", "NoExecute"), ""),
        row(s -> s.prefill(), " spec.prefill is stored; it is not acted on yet."),
        row(
            s -> s.label("kubernetes.io/arch", "arm64").taint("is_gpu", "", "NoExecute"),
            " Without effect, since each Node has its own: \"kubernetes.io/arch\", \"is_gpu\"."));
  }

  @ParameterizedTest
  @MethodSource("valid")
  void validSpecs(PoolFixture spec, String note) {
    Validation.Validity validity = check(spec);

    assertThat(validity.finding()).isEqualTo(new Finding(ValidatedReason.VALID, VALID + note));
    assertThat(validity.mayGrow()).isTrue();
  }

  @Test
  void twoCausesHaveAnEventOfTheirOwn() {
    assertThat(check(new PoolFixture().type("x")).cause())
        .contains(EventReason.INVALID_INSTANCE_TYPE);
    assertThat(check(new PoolFixture().type("gd-8xa100-i128")).cause())
        .contains(EventReason.INSTANCE_TYPE_NOT_IN_ZONE);
    assertThat(check(new PoolFixture().label("bad key", "")).cause()).isEmpty();
  }

  @Test
  void severalProblemsAreReportedInOneMessageOfBoundedLength() {
    PoolFixture fixture = new PoolFixture().label("x".repeat(100_000), "").label("\n", "");
    IntStream.range(0, 9).forEach(i -> fixture.taint("a b" + i, "", "NoExecute"));

    assertThat(check(fixture).finding().message())
        .hasSizeLessThan(1_000)
        .startsWith("spec.nodeLabels has the key \"?\": ")
        .contains("x…\": it has 100000 characters")
        .endsWith(" And 8 more problems.");
  }

  @Test
  void withoutAnOfferTheSpecIsNotChecked() {
    Validation.Validity validity = check(new PoolFixture().label("bad key", "").lost("no answer"));

    assertThat(validity.finding().reason()).isEqualTo(ValidatedReason.INTERNAL_ERROR);
    assertThat(validity.mayGrow()).isFalse();
  }
}
