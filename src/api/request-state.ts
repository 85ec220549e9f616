/** What middleware stores on a request (`ctx.state`). */
import type { Context, ParameterizedContext } from 'koa';
import type { Logger } from '../platform/logger.js';
import type { ErrorFamily } from './define-route.js';

export interface ApiState {
  requestId: string;
  /** The W3C trace context, that of the client or of the span of this request; null: none. */
  traceparent: string | null;
  /** The template of its address; absent: no route was found. */
  route?: string;
  log: Logger;
  /** The shape of this request's errors: determined by its path until a route is found, then by the route. */
  family: ErrorFamily;
  /** The client's address, for logs. */
  address: string | null;
  /** The account of the token and the token's id, for the access log. */
  accountId?: string;
  tokenId?: string;
}

export type ApiContext = ParameterizedContext<ApiState>;

/** The state of a context, with its type. */
export function stateOf(ctx: Context | ApiContext): ApiState {
  return ctx.state as ApiState;
}
