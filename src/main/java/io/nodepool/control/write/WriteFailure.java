package io.nodepool.control.write;

import java.time.Instant;

/**
 * Consecutive failures of one kind of request on one object.
 *
 * @param request the last one that failed
 * @param until when it may be retried
 * @param why why the last one failed
 * @param denied whether the server denied one of them
 * @param inDoubt whether it was not known at once that the last one failed
 */
public record WriteFailure<R>(
    R request, int count, Instant until, String why, boolean denied, boolean inDoubt) {}
