package io.nodepool.vocabulary.metadata;

import io.nodepool.vocabulary.Word;

/** What a taint does to Pods that do not tolerate it. */
public enum TaintEffect implements Word {
  NO_SCHEDULE,
  PREFER_NO_SCHEDULE,
  NO_EXECUTE
}
