package io.nodepool.plugin.explain;

import io.nodepool.explain.Explanations;
import io.nodepool.explain.HostExplanation;
import io.nodepool.explain.ListedKind;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Explains why a Host is assigned or not, and its signals. */
@Command(
    name = "host",
    description =
        "Say why a Host is free and not assigned, set aside or in doubt, and what the alerts about its machine ask for. Nothing is written.")
final class ExplainHost extends Explaining<HostExplanation> {
  @Parameters(paramLabel = "HOST", description = "Name of the Host.")
  private String name = "";

  @Override
  Optional<HostExplanation> explain(Explanations explanations) {
    return explanations.host(name);
  }

  @Override
  String subject() {
    return "Host " + name;
  }

  @Override
  Set<ListedKind> needed() {
    return Set.of(ListedKind.HOSTS);
  }

  @Override
  void print(HostExplanation answer) {
    line("Host " + answer.host());
    line("assigned  %s  %s".formatted(answer.assigned().answer(), answer.assigned().why()));
    answer.signals().forEach(each -> line("signal: " + each));
  }
}
