package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.SummaryReason;

/** What matters most about a pool: one word, and a sentence. */
public record Summary(SummaryReason reason, String message) {}
