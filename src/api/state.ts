/** What middleware notes on a request for those that come after it (`ctx.state`). */
import type { Context, ParameterizedContext } from 'koa';
import type { Logger } from '../platform/logger.js';
import type { ErrorFamily } from './define-route.js';

export interface ApiState {
  requestId: string;
  log: Logger;
  /** The shape that an error of this request takes: by its path until a route is found, then by the route. */
  family: ErrorFamily;
  /** Whose token it is, for the access log. */
  accountId?: string;
}

export type ApiContext = ParameterizedContext<ApiState>;

/** The state of a context whose type does not tell. */
export function stateOf(ctx: Context | ApiContext): ApiState {
  return ctx.state as ApiState;
}
