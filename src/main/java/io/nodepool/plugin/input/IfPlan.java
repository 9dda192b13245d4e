package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Question;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The condition that the present plan is the plan of an earlier forecast. */
public final class IfPlan {
  @Option(
      names = "--if-plan",
      paramLabel = "TOKEN",
      description =
          "Only if what would happen is still the plan that what-if printed; else nothing is written, and the exit code is 3.")
  private Optional<String> token = Optional.empty();

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  /**
   * Fails if the option names a plan and the present plan is another.
   *
   * @throws CommandFailure with the token of the present plan
   */
  public void require(ClusterClient client, Question question) {
    if (token.isEmpty()) {
      return;
    }
    ListedObjects listed = ListedObjects.of(client).complete();
    Instant now = PluginSurroundings.of(command).clock().instant();
    listed
        .warnings(now)
        .forEach(each -> command.commandLine().getErr().println("warning: " + each));
    Forecast forecast = listed.forecast(question, now);
    String plan = forecast.token().text();
    if (!plan.equals(token.get())) {
      throw new CommandFailure(
          ExitCodes.BLOCKED,
          "what would happen is plan %s now, not %s: nothing was written. Ask kubectl nodepool what-if again"
              .formatted(plan, token.get()));
    }
  }
}
