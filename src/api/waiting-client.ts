/** The client of a request that waits. */

import type { ServerResponse } from 'node:http';
import type { ApiRequest } from './define-route.js';
import { ClientGone } from './http-problem.js';
import type { WaitingClient } from './job-ends.js';
import type { ApiServices } from './services.js';

/**
 * Ends the request's turn, because waiting needs no share of the process.
 * @returns who waits, until the client closes its connection or the process begins to stop
 */
export function waitingClient(
  request: ApiRequest<unknown, unknown, unknown, true>,
  { stopping }: ApiServices,
): WaitingClient {
  request.endTurn();
  const { accountId } = request.site;
  return { accountId, ms: request.preferWaitMs, signal: AbortSignal.any([clientGone(request.koa.res), stopping]) };
}

/** Aborted with ClientGone when nobody waits for the answer any more: the connection is lost, or the answer was sent. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone());
  // Its event is emitted once.
  if (response.closed) abort();
  else response.once('close', abort);
  return gone.signal;
}
