/** Runs a request through its route: authorizes it, finds its data set, checks parameters and body, calls `handle`. */
import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { findAnswer, type IdempotentRequest } from '../domain/access/accept-once.js';
import type { AccessRecorder } from '../domain/access/access-recorder.js';
import { isOfAccount, type Principal } from '../domain/access/principals.js';
import type { SiteContext } from '../domain/access/site-context.js';
import type { SiteDirectory } from '../domain/access/sites.js';
import { accountOf, actorOf, createAuditTrail, noteRefusal } from './audit-trail.js';
import { authorize } from './authorize.js';
import type { ClientAddresses } from './client-address.js';
import { dataSetOf } from './data-set-of.js';
import type { ApiRequest, ApiResponse, Route } from './define-route.js';
import { rateLimitHeaders } from './error-facts.js';
import { ClientGone } from './http-problem.js';
import type { BodyBudget } from './limits/body-budget.js';
import type { FairShare } from './limits/fair-share.js';
import { fingerprintOf, idempotencyKey, preferWaitMs } from './request-headers.js';
import { type ApiState, stateOf } from './request-state.js';
import { readRouteBody } from './route-body.js';
import type { ApiServices } from './services.js';
import { validate } from './validate.js';
import { clientGone } from './waiting-client.js';
import { writeAnswer } from './write-answer.js';

/** Services that a request needs before it reaches its route. */
export interface RequestServices {
  readonly sites: SiteDirectory;
  /** For bodies of requests with a token. */
  readonly budget: BodyBudget;
  /** For bodies of requests without one, so that they cannot use up the other. */
  readonly openBudget: BodyBudget;
  readonly addresses: ClientAddresses;
  readonly recorder: AccessRecorder;
  readonly share: FairShare;
}

/** The handler of one route. */
export function dispatch(route: Route, requestServices: RequestServices, services: ApiServices): Middleware {
  return async (ctx: Context) => {
    const state = stateOf(ctx);
    state.family = route.family;
    state.route = route.path;
    // Answers to a token may contain secrets and signed URLs, and data that no cache may keep for others.
    if ('scope' in route.auth) ctx.set('Cache-Control', 'no-store');
    const { sites, recorder } = requestServices;
    const principal = await authorize(ctx, route.auth, services, (why, whose) =>
      noteRefusedToken(recorder, state, whose, why, `${route.method} ${route.path}`),
    );
    // Nothing is done for a client that has left while its token was looked up.
    if (ctx.res.closed) throw new ClientGone();
    if (isOfAccount(principal)) state.accountId = principal.accountId;
    if (principal.kind !== 'anonymous') {
      state.tokenId = principal.tokenId;
      recorder.used(principal.tokenId, isOfAccount(principal) ? principal.sessionId : undefined);
    }
    const actor = actorOf(principal, state);
    const accountId = accountOf(principal);
    const site = await dataSetOf(ctx.req, route.siteContext, principal, sites, actor);
    const stage = site?.stage ?? null;
    const key = route.idempotent === true ? idempotencyKey(ctx.req) : undefined;
    const params = route.params === undefined ? {} : validate(route.params, ctx.params, 'path');
    const query = validate(route.query ?? queryWithout(route), { ...ctx.query }, 'query');
    const { body, bytes } = await readRouteBody(ctx, route, ...shareOf(ctx, principal, requestServices));
    const idempotency = key === undefined ? null : await identify(ctx, key, principal, site, bytes, services);
    // What was answered before takes no turn from others.
    const isNew = idempotency?.answered == null;
    if (isNew) await spendRequest(ctx, principal, services);
    const turn = isNew ? turnOf(ctx, principal, requestServices.share) : NO_TURN;
    await turn.take();
    const request: ApiRequest = {
      params,
      query,
      body,
      // Not before the fingerprint of the request is made: a repeated request may belong to another trace.
      site: site === undefined ? site : { ...site, traceparent: state.traceparent, actor: `${actor.kind}:${actor.id}` },
      principal,
      requestId: state.requestId,
      headers: ctx.req.headers,
      preferWaitMs: preferWaitMs(ctx.req),
      idempotency,
      audit: createAuditTrail(route.audit, actor, accountId, stage),
      endTurn: turn.end,
      takeTurn: turn.take,
      koa: ctx,
    };
    try {
      await send(ctx, await route.handle(request, services));
    } catch (error) {
      if (route.audit !== undefined) noteRefusal(recorder, route.audit, { actor, accountId, stage }, ctx, error);
      throw error;
    } finally {
      turn.end();
    }
  };
}

/** A token that is not accepted, or whose scopes do not allow the route. */
export function noteRefusedToken(
  recorder: AccessRecorder,
  state: ApiState,
  whose: Principal,
  why: string,
  target: string,
): void {
  const actor = actorOf(whose, state);
  // Without a known token, what it was sent to says nothing, and would be another entry each.
  const known = whose.kind !== 'anonymous';
  recorder.refused({
    actor,
    accountId: accountOf(whose),
    action: 'TOKEN_REFUSED',
    target: known ? target : null,
    result: why,
  });
}

/** The turns of a request, one after another. */
interface Turn {
  /**
   * Waits for it. @throws DomainError busy when too many requests of the account wait; ClientGone
   * @param ofAccount the account of a request without a token, once it is known
   */
  take(ofAccount?: string): Promise<void>;
  /** Ends it; calling it again does nothing. */
  end(): void;
}

/** Counts a request of an account that has a quota of requests. @throws DomainError busy */
async function spendRequest(ctx: Context, principal: Principal, { quotas }: ApiServices): Promise<void> {
  const limit = isOfAccount(principal) ? principal.quotas.requests : undefined;
  if (!isOfAccount(principal) || limit === undefined) return;
  const { left, secondsLeft } = await quotas.spendRequest(principal.accountId, limit);
  ctx.set(rateLimitHeaders({ name: 'requests', limit, left, windowSeconds: 60 }, secondsLeft));
}

/** A repeated request is answered at once. */
const NO_TURN: Turn = { take: async () => undefined, end: () => undefined };

function turnOf({ res }: Context, principal: Principal, share: FairShare): Turn {
  const { accountId, tokenId } = isOfAccount(principal) ? principal : WITHOUT_TOKEN;
  let open: string | null = null;
  return {
    take: async (ofAccount) => {
      const account = accountId ?? ofAccount ?? null;
      // Requests without an account are few, or stream files.
      if (open !== null || account === null) return;
      await share.enter(account, tokenId, clientGone(res));
      open = account;
    },
    end: () => {
      if (open !== null) share.leave(open);
      open = null;
    },
  };
}

const WITHOUT_TOKEN = { accountId: null, tokenId: '' } as const;

/** The budget of a request's body, and the holder whose share of it the body is. */
function shareOf(ctx: Context, principal: Principal, services: RequestServices): [budget: BodyBudget, holder: string] {
  if (isOfAccount(principal)) return [services.budget, principal.accountId];
  if (principal.kind === 'operator') return [services.budget, principal.tokenId];
  // Where addresses are not known, each request is on its own: the largest makes room for the others.
  return [services.openBudget, services.addresses.of(ctx.req) ?? randomUUID()];
}

const NO_PARAMETERS = z.strictObject({});
const ANY_PARAMETERS = z.object({});

/**
 * What the query of a route that declares none may contain. Health checks and the pages of the documentation accept
 * what monitors and browsers add to an address; nothing that they do could be misunderstood.
 */
function queryWithout({ auth, family }: Route): z.ZodType {
  return 'public' in auth && family === 'operator' ? ANY_PARAMETERS : NO_PARAMETERS;
}

async function identify(
  ctx: Context,
  key: string,
  principal: Principal,
  site: SiteContext | undefined,
  body: Buffer | undefined,
  { db }: ApiServices,
): Promise<IdempotentRequest | null> {
  if (principal.kind !== 'account') return null;
  const { method, path, querystring: query } = ctx;
  const fingerprint = fingerprintOf({ method, path, query, site, body });
  const request = { accountId: principal.accountId, key, fingerprint };
  return { ...request, answered: await findAnswer(db, request) };
}

async function send(ctx: Context, { status, body, headers, stream }: ApiResponse): Promise<void> {
  ctx.status = status;
  if (stream !== undefined) {
    ctx.body = stream;
  } else if (Buffer.isBuffer(body)) {
    ctx.body = body;
  } else if (body === undefined) {
    ctx.body = null;
  } else {
    const written = await writeAnswer(body);
    ctx.type = 'application/json';
    ctx.body = written;
  }
  ctx.status = status;
  if (headers !== undefined) ctx.set({ ...headers });
}
