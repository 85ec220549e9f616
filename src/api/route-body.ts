/** Brings a request's body into the form that its route declares. */
import type { Context } from 'koa';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { readBodyBytes } from './body-bytes.js';
import { hasBody, requireMediaType } from './content-type.js';
import type { BodySpec } from './define-route.js';
import { inviteBody } from './expect-continue.js';
import { decodeForm } from './form-body.js';
import { HttpProblem } from './http-problem.js';
import { decodeJson, readSmallBody } from './small-body.js';
import { validate } from './validate.js';

const DEFAULT_MAX_BYTES = 1_048_576;
const FORM_MAX_BYTES = 16_384;

export interface RouteBody {
  /** What the route's handler is given. */
  readonly body: unknown;
  /** As it was sent (decompressed); undefined where there is none or the route streams it. */
  readonly bytes: Buffer | undefined;
}

const NO_BODY: RouteBody = { body: undefined, bytes: undefined };

/**
 * Reads, decodes and checks a body. Its bytes count against the budget until the response is done.
 * @throws HttpProblem 400, 408, 413, 415; DomainError invalid (schema) or unavailable (budget); ClientGone
 */
export async function readRouteBody(ctx: Context, spec: BodySpec | undefined, budget: BodyBudget): Promise<RouteBody> {
  // Who streams a body invites it too, when it has found nothing to refuse it for.
  if (spec === undefined || ('raw' in spec && spec.raw === 'stream')) return NO_BODY;
  if ('form' in spec) {
    if (hasBody(ctx.req)) requireMediaType(ctx.req, 'form');
    const bytes = await readSmall(ctx, budget, FORM_MAX_BYTES);
    return { body: validate(spec.form, decodeForm(bytes), 'body'), bytes };
  }
  if (!hasBody(ctx.req)) {
    if ('schema' in spec && spec.required === false) return NO_BODY;
    throw new HttpProblem(400, 'BODY_REQUIRED', 'this operation needs a JSON body');
  }
  requireMediaType(ctx.req, 'json');
  if ('raw' in spec) {
    inviteBody(ctx.req, ctx.res);
    const { bytes, lease } = await readBodyBytes(ctx.req, budget, { maxBytes: spec.maxBytes });
    releaseWhenDone(ctx, lease);
    return { body: bytes, bytes };
  }
  const bytes = await readSmall(ctx, budget, spec.maxBytes ?? DEFAULT_MAX_BYTES);
  return { body: validate(spec.schema, decodeJson(bytes), 'body'), bytes };
}

async function readSmall(ctx: Context, budget: BodyBudget, maxBytes: number): Promise<Buffer> {
  inviteBody(ctx.req, ctx.res);
  const { bytes, lease } = await readSmallBody(ctx, budget, maxBytes);
  releaseWhenDone(ctx, lease);
  return bytes;
}

/** `close` comes once, after the response was sent or the connection was lost. */
function releaseWhenDone(ctx: Context, lease: BodyLease): void {
  if (ctx.res.closed) lease.release();
  else ctx.res.once('close', lease.release);
}
