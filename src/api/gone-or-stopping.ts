/** When to stop waiting for a job on behalf of a client. */

import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

/**
 * Ends the request's turn, because waiting needs no share of the process.
 * @returns a signal that aborts when the client closes its connection or when the process begins to stop
 */
export function goneOrStopping(request: ApiRequest, { stopping }: ApiServices): AbortSignal {
  request.endTurn();
  const gone = new AbortController();
  request.koa.res.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}
