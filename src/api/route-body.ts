/** Reads a request's body in the form that its route declares. */
import type { Context } from 'koa';
import { z } from 'zod';
import { decodeForm } from './body/decode-form.js';
import { decodeJson } from './body/decode-json.js';
import { hasBody, requireMediaType } from './body/media-type.js';
import { BODY_TIMEOUT_MS, readSmallBody, type SmallBody } from './body/small-body.js';
import { readBodyBytes } from './body-bytes.js';
import type { Route } from './define-route.js';
import { HttpProblem } from './http-problem.js';
import { inviteBody } from './invite-body.js';
import type { BodyBudget, BodyLease } from './limits/body-budget.js';
import { validate } from './validate.js';

const DEFAULT_MAX_BYTES = 1_048_576;
const FORM_MAX_BYTES = 16_384;

interface RouteBody {
  /** The value that is passed to the route's handler. */
  readonly body: unknown;
  /** The body as it was sent, decompressed; undefined if there is none or the route streams it. */
  readonly bytes: Buffer | undefined;
}

const NO_BODY: RouteBody = { body: undefined, bytes: undefined };

/**
 * Reads, decodes and checks a body. Its bytes count against the budget until the response has ended.
 * @param holder whose share of the budget they are
 * @throws HttpProblem 400, 408, 413, 415; DomainError invalid (schema) or unavailable (budget); ClientGone
 */
export async function readRouteBody(
  ctx: Context,
  { body: spec, ignoresBody }: Pick<Route, 'body' | 'ignoresBody'>,
  budget: BodyBudget,
  holder: string,
): Promise<RouteBody> {
  if (ignoresBody === true) return NO_BODY;
  if (spec === undefined) return readNoFields(ctx, budget, holder);
  // A route that streams its body calls `inviteBody` itself, after its own checks.
  if ('raw' in spec && spec.raw === 'stream') return NO_BODY;
  if ('form' in spec) {
    if (hasBody(ctx.req)) requireMediaType(ctx.req, 'form');
    const bytes = await readSmall(ctx, budget, { holder, maxBytes: FORM_MAX_BYTES });
    return { body: validate(spec.form, decodeForm(bytes), 'body'), bytes };
  }
  if (!hasBody(ctx.req)) {
    if ('schema' in spec && spec.required === false) return NO_BODY;
    throw new HttpProblem(400, 'BODY_REQUIRED', 'this operation needs a JSON body');
  }
  requireMediaType(ctx.req, 'json');
  if ('raw' in spec) {
    inviteBody(ctx.req, ctx.res);
    const { bytes, lease } = await readBodyBytes(ctx.req, budget, { holder, maxBytes: spec.maxBytes });
    releaseWhenDone(ctx, lease);
    return { body: bytes, bytes };
  }
  const bytes = await readSmall(ctx, budget, { holder, maxBytes: spec.maxBytes ?? DEFAULT_MAX_BYTES });
  return { body: validate(spec.schema, decodeJson(bytes, spec.opaque), 'body'), bytes };
}

const NO_FIELDS = z.strictObject({});

/**
 * The body of a route that has none: nothing or an empty object, because fields would be ignored. That of a GET has no
 * meaning (RFC 9110 §9.3.1).
 */
async function readNoFields(ctx: Context, budget: BodyBudget, holder: string): Promise<RouteBody> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || !hasBody(ctx.req)) return NO_BODY;
  requireMediaType(ctx.req, 'json');
  const bytes = await readSmall(ctx, budget, { holder, maxBytes: DEFAULT_MAX_BYTES });
  validate(NO_FIELDS, decodeJson(bytes), 'body');
  return { body: undefined, bytes };
}

async function readSmall(ctx: Context, budget: BodyBudget, limits: SmallBody): Promise<Buffer> {
  inviteBody(ctx.req, ctx.res);
  // What a compressed body becomes is counted while it is decompressed, which koa-body would do out of sight.
  const { bytes, lease } =
    ctx.req.headers['content-encoding'] === 'gzip'
      ? await readBodyBytes(ctx.req, budget, { ...limits, deadlineMs: BODY_TIMEOUT_MS })
      : await readSmallBody(ctx, budget, limits);
  releaseWhenDone(ctx, lease);
  return bytes;
}

/** `close` is emitted once, after the response was sent or the connection was lost. */
function releaseWhenDone(ctx: Context, lease: BodyLease): void {
  if (ctx.res.closed) lease.release();
  else ctx.res.once('close', lease.release);
}
