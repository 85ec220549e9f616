/** The client of a request that waits for a job. */

import type { ApiRequest } from './define-route.js';
import type { ApiServices, WaitingClient } from './services.js';

/**
 * Ends the request's turn, because waiting needs no share of the process.
 * @returns who waits, until the client closes its connection or the process begins to stop
 */
export function waitingClient(
  request: ApiRequest<unknown, unknown, unknown, true>,
  { stopping }: ApiServices,
): WaitingClient {
  request.endTurn();
  const gone = new AbortController();
  request.koa.res.once('close', () => gone.abort());
  const { accountId } = request.site;
  return { accountId, ms: request.preferWaitMs, signal: AbortSignal.any([gone.signal, stopping]) };
}
