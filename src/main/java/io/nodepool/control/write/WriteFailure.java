package io.nodepool.control.write;

import java.time.Instant;

/**
 * Consecutive failures of one kind of request on one object.
 *
 * @param request the last request that failed
 * @param until when the request may be retried
 * @param why why the last request failed
 * @param denied whether the server denied one of the requests
 * @param inDoubt whether it was not known at once that the last request failed
 */
public record WriteFailure<R>(
    R request, int count, Instant until, String why, boolean denied, boolean inDoubt) {}
