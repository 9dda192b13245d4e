package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.SummaryReason;

/** The most important fact about a pool: one word and a sentence. */
public record Summary(SummaryReason reason, String message) {}
