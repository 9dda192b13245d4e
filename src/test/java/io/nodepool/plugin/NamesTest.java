package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.input.Similar;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words of people who know kubectl: names with and without their kinds, its options, typos. */
class NamesTest {
  private static final String POOLS = "GET /apis/compute.coreweave.com/v1alpha1/nodepools";
  private static final String HOSTS = "GET /apis/fleet.nodepool.io/v1alpha1/hosts";
  private static final String NODES = "GET /api/v1/nodes";
  private static final String EVENTS =
      "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3Dg1";
  private static final String POOL =
      """
      {'metadata': {'name': 'train', 'resourceVersion': '5'}, 'spec': {'instanceType': 'gb200-4x', 'targetNodes': 2},
       'status': {'repairs': {'suspects': [{'alert': 'OurOwnAlert'}]}}}
      """;
  private static final String HOST =
      """
      {'metadata': {'name': 'g1'}, 'spec': {'machine': {'instanceType': 'gb200-4x', 'rack': 'R1'}, 'assignment': {'pool': 'train'}}}
      """;

  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void cluster() {
    api.on(POOLS + "?limit=500", list(POOL))
        .on(POOLS, list(POOL))
        .on(POOLS + "/train", POOL)
        .on(HOSTS + "?limit=500", list(HOST))
        .on(HOSTS + "/g1", HOST)
        .on("GET /apis/fleet.nodepool.io/v1alpha1/hostsignals?limit=500", list())
        .on(NODES + "?limit=500", list(node("g1", "False")))
        .on(NODES + "/g1", node("g1", "False"))
        .on(EVENTS, list());
  }

  private static String list(String... items) {
    return "{'metadata': {'resourceVersion': '9'}, 'items': [%s]}"
        .formatted(String.join(", ", items));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "get trian | there is no nodepool/trian; did you mean train?",
        "get train -l a=b other | there is no nodepool/other with these labels",
        "describe trian | trian not found; did you mean train?",
        "scale trian --nodes 1 | trian not found; did you mean train?",
        "revisions trian | trian not found; did you mean train?",
        "upgrade trian | trian not found; did you mean train?",
        "rollback trian | trian not found; did you mean train?",
        "rollout start trian | trian not found; did you mean train?",
        "rollout stop trian | trian not found; did you mean train?",
        "rollout status trian | trian not found; did you mean train?",
        "release trian | trian not found; did you mean train?",
        "release train --suspect OurOwnAlrt | nodepool/train: OurOwnAlrt is neither suspected nor in the catalogue that ships with the operator; did you mean OurOwnAlert?",
        "health trian | there is no NodePool or rack trian; did you mean train?",
        "health R2 | there is no NodePool or rack R2; did you mean R1?",
        "capacity gb20-4x | there is no instance type gb20-4x; did you mean gb200-4x?",
        "node describe g2 | g2 not found; did you mean g1?",
        "node cordon g2 | node/g2: g2 not found; did you mean g1?",
        "node uncordon g2 | node/g2: g2 not found; did you mean g1?",
        "node drain g2 | node/g2: g2 not found; did you mean g1?",
        "node verify g2 | node/g2: g2 not found; did you mean g1?",
        "node reboot g2 | node/g2: g2 not found; did you mean g1?",
        "host release g2 | host/g2: g2 not found; did you mean g1?",
      })
  void anUnknownNameIsAnErrorWithASimilarOne(String line, String error) {
    assertThat(api.command(line.split(" "))).isEqualTo(1);
    assertThat(api.err()).endsWith("error: " + error + "\n");
    assertThat(api.writes).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "get nodepool/train",
    "get np/train -n default",
    "describe nodepools/train -A",
    "health np/train",
    "health R1",
    "node get nodepool/train node/g1",
    "node describe node/g1 --namespace=default",
    "node verify no/g1",
    "host release host/g1",
    "capacity -n default",
    "release np/train --suspect GPUFallenOffBus"
  })
  void aNameMayHaveItsKindAndNamespacesDoNotMatter(String line) {
    assertThat(api.command(line.split(" "))).as(api.err()).isZero();
  }

  @Test
  void anObjectOfAnotherKindIsNotTaken() {
    assertThat(api.command("describe", "node/g1")).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: \"node/g1\" is not the name of a NodePool\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "get node/g1 | \"node/g1\" is not the name of a NodePool | get",
        "get train Not_A_Name | \"Not_A_Name\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside | get",
        "node cordon g1 host/g1 | \"host/g1\" is not the name of a Node | node cordon",
        "host get np/train | \"np/train\" is not the name of a Host | host get",
        "describe train other | unexpected argument \"other\" | describe",
      })
  void aWordThatIsNotTakenIsAnError(String line, String error, String command) {
    assertThat(api.command(line.split(" "))).isEqualTo(2);
    assertThat(api.err())
        .isEqualTo("error: %s\nSee 'kubectl nodepool %s --help'.\n".formatted(error, command));
    assertThat(api.requests).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gte | unknown command \"gte\"; did you mean get? | kubectl nodepool",
        "node rebot g1 | unknown command \"rebot\"; did you mean reboot? | kubectl nodepool node",
        "rollout sta x | unknown command \"sta\"; did you mean start or status? | kubectl nodepool rollout",
        "node g1 | unknown command \"g1\" | kubectl nodepool node",
        "scale train --node 3 | unknown option \"--node\"; did you mean --nodes? | kubectl nodepool scale",
        "zzzzz | unknown command \"zzzzz\" | kubectl nodepool",
      })
  void anUnknownVerbIsAnErrorWithASimilarOne(String line, String error, String command) {
    assertThat(api.command(line.split(" "))).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: %s\nSee '%s --help'.\n".formatted(error, command));
    assertThat(api.requests).isEmpty();
  }

  @Test
  void aCommandActsAsAnotherUser() {
    assertThat(api.command("get", "--as", "jane@example.com")).isZero();
    assertThat(api.users).containsOnly("jane@example.com");
  }

  @Test
  void theTitlesOfColumnsAreLeftOut() {
    assertThat(api.command("get", "--no-headers", "--request-timeout=5s")).isZero();
    assertThat(api.out()).startsWith("train").hasLineCount(1);
  }

  @Test
  void onlySimilarWordsAreSuggested() {
    assertThat(Similar.hint("ab", List.of("ba", "abc", "xyz", "ab1", "ac")))
        .isEqualTo("; did you mean ab1 or abc or ac?");
    assertThat(Similar.hint("gpu", List.of())).isEmpty();
  }
}
