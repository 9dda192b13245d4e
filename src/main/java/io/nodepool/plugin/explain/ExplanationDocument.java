package io.nodepool.plugin.explain;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.explain.ListedKind;
import io.nodepool.explain.Unlisted;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Instant;
import java.util.List;

/** An explanation for programs; docs/reference/explain.schema.json is its schema. */
public final class ExplanationDocument {
  /** Texts and lists that are empty are left out. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
          .build();

  private ExplanationDocument() {}

  /**
   * The document of an explanation.
   *
   * @param at the instant for which it is explained
   * @param warnings what makes the explanation uncertain
   */
  public static ObjectNode of(Record answer, Instant at, List<String> warnings, Unlisted unlisted) {
    ObjectNode document = JSON.createObjectNode();
    document.put("kind", answer.getClass().getSimpleName());
    document.put("at", ObjectFacts.seconds(at));
    document.set("warnings", JSON.valueToTree(warnings));
    document.set(
        "unknown", JSON.valueToTree(unlisted.kinds().stream().map(ListedKind::text).toList()));
    return document.setAll(JSON.<ObjectNode>valueToTree(answer));
  }
}
