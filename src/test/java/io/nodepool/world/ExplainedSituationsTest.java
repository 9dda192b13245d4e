package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.nodepool.explain.Explanations;
import io.nodepool.explain.Unlisted;
import io.nodepool.model.Observation;
import io.nodepool.plugin.explain.ExplanationDocument;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every situation that the scenarios reach can be explained: each pool, Node and Host has an
 * answer, which follows the schema.
 */
@Tag("world")
@Tag("slow")
class ExplainedSituationsTest {
  private static final Schema SCHEMA = schema();

  private final Set<String> seen = new TreeSet<>();

  private static Schema schema() {
    try {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(Files.readString(Path.of("docs/reference/explain.schema.json")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void explain(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    if (!seen.add(situation(cluster))) {
      return;
    }
    List<Observation> listed =
        Stream.of(WorldCluster.Kind.values()).flatMap(kind -> cluster.list(kind).stream()).toList();
    Explanations explanations = Explanations.of(listed, drill.world.instant());
    for (String pool : cluster.pools().keySet()) {
      explanations
          .pool(pool, OptionalInt.empty())
          .ifPresent(answer -> {
            checkDocument(answer, drill);
            assertThat(answer.sentence()).isNotBlank();
            assertThat(answer.nodes()).allMatch(each -> !each.decidedBy().isBlank());
            assertThat(answer.holds()).allMatch(each -> !each.message().isBlank());
          });
    }
    for (String node : cluster.nodes().keySet()) {
      explanations
          .node(node)
          .ifPresent(answer -> {
            checkDocument(answer, drill);
            assertThat(answer.answers()).isNotEmpty().allMatch(each -> !each.why().isBlank());
          });
    }
    for (String host : cluster.hosts().keySet()) {
      explanations
          .host(host)
          .ifPresent(answer -> {
            checkDocument(answer, drill);
            assertThat(answer.assigned().why()).isNotBlank();
          });
    }
  }

  private static void checkDocument(Record answer, Drill drill) {
    JsonNode document =
        ExplanationDocument.of(answer, drill.world.instant(), List.of(), Unlisted.NOTHING);
    assertThat(SCHEMA.validate(document)).as(document.toString()).isEmpty();
  }

  /** What conditions and records say; not of how many. */
  private static String situation(WorldCluster cluster) {
    return Stream.concat(
            cluster.pools().values().stream()
                .map(pool ->
                    pool.status().conditions().values().stream()
                            .map(each -> each.reason().word())
                            .collect(Collectors.joining(","))
                        + pool.status().summary().map(each -> each.reason().word()).orElse("")),
            cluster.nodes().values().stream()
                .flatMap(node -> node.activeDisruption().stream())
                .map(active -> active.words() + active.getClass().getSimpleName())
                .distinct()
                .sorted())
        .collect(Collectors.joining(" "));
  }

  @Test
  void eachSituationOfTheScenariosIsExplained() {
    Scenario.all()
        .forEach(scenario -> {
          Drill drill =
              Drill.with(1, scenario.dataCentre(), Faults.NONE, OperatorOverrides.AS_BUILT);
          drill.world.afterEachStep(() -> explain(drill));
          scenario.play().accept(drill);
          drill.toRest();
        });
  }
}
