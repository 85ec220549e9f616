/** When waiting for a job on behalf of a client has no point any more. */

import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

/** Who has gone away is not waited for, and a process that stops answers what it has. */
export function goneOrStopping(request: ApiRequest, { stopping }: ApiServices): AbortSignal {
  const gone = new AbortController();
  request.koa.res.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}
