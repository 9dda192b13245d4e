package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.Word;

/** The status of a Kubernetes condition. */
public enum ConditionStatus implements Word {
  TRUE,
  FALSE,
  UNKNOWN
}
