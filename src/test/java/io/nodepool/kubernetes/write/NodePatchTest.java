package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.NodeChange;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests in the patches of a Node. */
class NodePatchTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** In another order, with a space, of an earlier form: the server compares texts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"stage\":\"Committed\",\"v\":1,\"seq\":3,\"causes\":[{\"cause\":\"PoolDeletion\",\"at\":\"2026-01-01T00:00:00Z\"}],\"cordon\":\"Ours\",\"at\":\"2026-01-01T00:00:00Z\",\"ending\":\"Leave\",\"forceAt\":\"2026-01-01T00:30:00Z\"}",
        "{\"v\":1, \"seq\":3,\"stage\":\"Committed\",\"causes\":[{\"cause\":\"PoolDeletion\",\"at\":\"2026-01-01T00:00:00Z\"}],\"cordon\":\"Ours\",\"at\":\"2026-01-01T00:00:00Z\",\"ending\":\"Leave\",\"forceAt\":\"2026-01-01T00:30:00Z\"}",
        "{\"stage\":\"Draining\",\"cause\":\"PoolDeletion\",\"at\":\"2026-01-01T00:00:00Z\",\"forceAt\":\"2026-01-01T00:30:00Z\"}"
      })
  void theRecordIsTestedAsTheTextThatWasRead(String text) throws JsonProcessingException {
    Node node = node(text);

    assertThat(tested(node)).contains(text);
    assertThat(tested(node.withDisruption(node.disruption()))).doesNotContain(text);
  }

  private static List<String> tested(Node node) throws JsonProcessingException {
    Action.WriteNode cordon = Disruptions.cordonAgain(node);
    JsonNode patch =
        JSON.readTree(
            NodePatch.of(
                    cordon.nodeUid(), cordon.precondition(), (NodeChange.OfSpec) cordon.change())
                .json());

    return patch
        .valueStream()
        .filter(operation -> operation.path("op").asText().equals("test"))
        .map(operation -> operation.path("value").asText())
        .toList();
  }

  private static Node node(String text) {
    return NodeConversion.node(
            new NodeBuilder()
                .withNewMetadata()
                .withName("g1")
                .withUid("n-1")
                .withResourceVersion("7")
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .addToAnnotations(NodeAnnotations.HOST_UID.key(), "h-1")
                .addToAnnotations(NodeAnnotations.TENANCY.key(), "1")
                .addToAnnotations(NodeAnnotations.REMOVAL.key(), text)
                .endMetadata()
                .build())
        .orElseThrow();
  }
}
