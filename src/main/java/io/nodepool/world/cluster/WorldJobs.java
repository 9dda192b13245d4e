package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.repair.VerificationJob.State;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The Jobs that verify repaired machines, and the ConfigMaps that have their templates. */
public final class WorldJobs {
  private static final Duration RUNS = Duration.ofMinutes(5);

  /**
   * A Job.
   *
   * @param at when it was last created
   * @param passes whether its Pod succeeds
   * @param times how often it was created
   * @param vanishes whether it is deleted when it ends
   */
  public record CreatedJob(String node, Instant at, boolean passes, int times, boolean vanishes) {
    /** Whether it has succeeded. */
    public boolean isComplete(Instant now) {
      return passes && isOver(now);
    }

    /** Whether it was deleted before its result was read. */
    public boolean isGone(Instant now) {
      return vanishes && isOver(now);
    }

    /** Whether it has failed. */
    public boolean isFailed(Instant now) {
      return !passes && isOver(now);
    }

    private boolean isOver(Instant now) {
      return !now.isBefore(at.plus(RUNS));
    }
  }

  private final SortedMap<String, CreatedJob> all = new TreeMap<>();
  private final Set<String> templates = new HashSet<>();

  /** The number of next Jobs on each Node that fail. */
  private final Map<String, Integer> failing = new HashMap<>();

  private final Set<String> vanishing = new HashSet<>();

  /** Adds a ConfigMap with a template. */
  public void addTemplate(String configMap) {
    templates.add(configMap);
  }

  /** Lets this number of next Jobs on the Node fail. */
  public void letFail(String node, int jobs) {
    failing.put(node, jobs);
  }

  /** Sets whether Jobs that are created on this Node from now on are deleted when they end. */
  public void letVanish(String node, boolean vanish) {
    if (vanish) {
      vanishing.add(node);
    } else {
      vanishing.remove(node);
    }
  }

  /** All Jobs that were ever created, by name. */
  public SortedMap<String, CreatedJob> all() {
    return Collections.unmodifiableSortedMap(all);
  }

  /** Creates a Job, as the API server does. */
  public Answer<Observation> run(Action.RunJob run, Instant now) {
    if (!templates.contains(run.configMap())) {
      String why = "ConfigMap %s/%s does not exist".formatted(run.namespace(), run.configMap());
      return answer(run.subject(), new VerificationJob(run.job(), State.UNUSABLE, why));
    }
    String node = run.subject().name();
    CreatedJob last = all.get(run.job());
    if (last == null || last.isGone(now)) {
      int left = failing.getOrDefault(node, 0);
      failing.put(node, Math.max(0, left - 1));
      int times = last == null ? 1 : last.times() + 1;
      all.put(run.job(), new CreatedJob(node, now, left == 0, times, vanishing.contains(node)));
    }
    return read(new Action.ReadJob(run.subject(), run.namespace(), run.job()), now);
  }

  /** Reads a Job. */
  public Answer<Observation> read(Action.ReadJob read, Instant now) {
    CreatedJob job = all.get(read.job());
    State state =
        job == null || job.isGone(now)
            ? State.GONE
            : job.isComplete(now)
                ? State.SUCCEEDED
                : job.isFailed(now) ? State.FAILED : State.RUNNING;
    String message = state == State.FAILED ? "BackoffLimitExceeded: its Pod failed" : "";
    return answer(read.subject(), new VerificationJob(read.job(), state, message));
  }

  private static Answer<Observation> answer(Action.Subject.OfNode subject, VerificationJob job) {
    return new Answer.Done<>(new Observation.JobSeen(subject.name(), subject.uid(), job));
  }
}
