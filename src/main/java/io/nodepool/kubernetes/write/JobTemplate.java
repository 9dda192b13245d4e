package io.nodepool.kubernetes.write;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A user's Job, changed to run once on one Node, despite its cordon and taints.
 *
 * @param where the object that contains the template, for messages
 */
record JobTemplate(Action.RunJob action, String where) {
  /** The label of the Job that names its Node. */
  static final String NODE = "nodepool.io/node";

  private static final int LONGEST = 64 * 1024;
  private static final Duration KEPT = Duration.ofDays(1);

  /** A Job that is removed sooner after its end could be gone before its result is read. */
  private static final Duration KEPT_AT_LEAST = Duration.ofHours(1);

  /** The template is not a valid Job. */
  static final class InvalidTemplateException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidTemplateException(String why) {
      super(why);
    }
  }

  /** The Job to create. */
  Job of(String template, ApiRequests requests) throws InvalidTemplateException {
    Job job = read(template, requests);
    JobSpec spec = job.getSpec();
    PodSpec pod = spec.getTemplate().getSpec();
    job.setMetadata(
        new ObjectMetaBuilder()
            .withName(action.job())
            .withNamespace(action.namespace())
            .withLabels(Map.of(NODE, action.subject().name()))
            .build());
    job.setStatus(null);
    spec.setParallelism(1);
    spec.setCompletions(1);
    spec.setSuspend(false);
    spec.setBackoffLimit(spec.getBackoffLimit() == null ? 0 : spec.getBackoffLimit());
    long atMost = action.deadline().toSeconds();
    Long asked = spec.getActiveDeadlineSeconds();
    spec.setActiveDeadlineSeconds(asked == null ? atMost : Math.min(asked, atMost));
    Integer kept = spec.getTtlSecondsAfterFinished();
    spec.setTtlSecondsAfterFinished(
        (int) (kept == null ? KEPT.toSeconds() : Math.max(kept, KEPT_AT_LEAST.toSeconds())));
    if (pod.getRestartPolicy() == null) {
      pod.setRestartPolicy("Never");
    }
    place(pod);
    return job;
  }

  /** Makes the Pod run on this Node, which is cordoned and may have taints. */
  private void place(PodSpec pod) {
    pod.setNodeName(null);
    pod.setNodeSelector(null);
    pod.setTolerations(List.of(new TolerationBuilder().withOperator("Exists").build()));
    pod.setAffinity(
        new AffinityBuilder()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addNewMatchField()
            .withKey("metadata.name")
            .withOperator("In")
            .withValues(action.subject().name())
            .endMatchField()
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .build());
  }

  private Job read(String template, ApiRequests requests) throws InvalidTemplateException {
    require(template.length() <= LONGEST, "is longer than %d characters".formatted(LONGEST));
    Job job;
    try {
      job = requests.parse(new Reply.Ok(template), Job.class);
    } catch (RuntimeException e) {
      throw new InvalidTemplateException(
          "%s is no Job: %s"
              .formatted(where, String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
    }
    require(job != null && "Job".equals(job.getKind()), "is no object of kind Job");
    require("batch/v1".equals(job.getApiVersion()), "is not of apiVersion batch/v1");
    require(
        job.getSpec() != null
            && job.getSpec().getTemplate() != null
            && job.getSpec().getTemplate().getSpec() != null
            && !job.getSpec().getTemplate().getSpec().getContainers().isEmpty(),
        "has no containers in spec.template.spec");
    return job;
  }

  private void require(boolean holds, String otherwise) throws InvalidTemplateException {
    if (!holds) {
      throw new InvalidTemplateException(where + " " + otherwise);
    }
  }
}
