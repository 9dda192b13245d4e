package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The signals about a machine, each under its key. */
@JsonClassDescription("What monitoring reports about the machine.")
public class HostSignalsSpec implements ApiPart {
  @JsonPropertyDescription(
      "The signals. The key of each is SOURCE.COMPONENT.NAME, such as alertmanager.gpu3.GPUFallenOffBus: who reports it, about which part of the"
          + " machine (host for the whole machine), and the name of the alert. A signal that is over has an endedAt, or is taken out.")
  @Size(max = Signal.MOST)
  @ValidationRule(
      value = "self.all(k, k.matches('" + SignalKey.PATTERN + "'))",
      message =
          "a key must be SOURCE.COMPONENT.NAME, such as alertmanager.gpu3.GPUFallenOffBus: SOURCE has at most 32 lower case letters, digits"
              + " and -, COMPONENT at most 40 letters, digits, - and _ (host for the whole machine), NAME at most 100")
  @ValidationRule(
      value = "self.all(k, !k.matches('" + SignalKey.RESERVED + "'))",
      message =
          "no entry may have the SOURCE conditions, fleet, operator or published: these are what conditions of Nodes, the status of Hosts and"
              + " the operator itself say")
  public Map<String, Entry> signals = new TreeMap<>();

  /** A signal. */
  public static class Entry implements ApiPart {
    @JsonPropertyDescription("Since when it has been observed.")
    @Required
    @DateTime
    public String since = "";

    @JsonPropertyDescription("When it ended. Without it, it stands.")
    @DateTime
    public @Nullable String endedAt;

    @JsonPropertyDescription(
        "The boot during which it was observed, as status.bootId of the Host. A signal of an earlier boot is stale.")
    @Size(max = 64)
    public @Nullable String bootId;

    @JsonPropertyDescription("How severe its source calls it, such as critical.")
    @Size(max = 32)
    public @Nullable String severity;

    @JsonPropertyDescription("A sentence for people about it.")
    @Size(max = Signal.LONGEST_MESSAGE)
    public @Nullable String message;
  }
}
