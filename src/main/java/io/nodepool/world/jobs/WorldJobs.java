package io.nodepool.world.jobs;

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
   * @param passes what its Pod ends with
   */
  public record CreatedJob(String node, Instant at, boolean passes) {
    /** Whether it has ended well. */
    public boolean isComplete(Instant now) {
      return passes && isOver(now);
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

  /** How many of the next Jobs on each Node fail. */
  private final Map<String, Integer> failing = new HashMap<>();

  /** Adds a ConfigMap with a template. */
  public void addTemplate(String configMap) {
    templates.add(configMap);
  }

  /** Lets the next Jobs on this Node fail, this many of them. */
  public void letFail(String node, int jobs) {
    failing.put(node, jobs);
  }

  /** All Jobs that there ever were, by name. */
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
    if (!all.containsKey(run.job())) {
      int left = failing.getOrDefault(node, 0);
      failing.put(node, Math.max(0, left - 1));
      all.put(run.job(), new CreatedJob(node, now, left == 0));
    }
    return read(new Action.ReadJob(run.subject(), run.namespace(), run.job()), now);
  }

  /** Reads a Job. */
  public Answer<Observation> read(Action.ReadJob read, Instant now) {
    CreatedJob job = all.get(read.job());
    State state =
        job == null
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
