/** The endpoints of sessions: log in, look at the present session, list and end them. */
import { z } from 'zod';
import type { Principal } from '../../domain/access/principals.js';
import { endSession, listSessions } from '../../domain/access/sessions.js';
import { DomainError } from '../../domain/kernel/errors.js';
import type { ApiRequest, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { requireAccountPrincipal } from '../require-account-principal.js';
import type { ApiServices } from '../services.js';
import { clearCookie } from '../session-cookie.js';
import { beginProviderLoginRoute } from './session/begin-provider-login.js';
import { logInRoute } from './session/log-in.js';
import { listedSessionSchema, presentListed, presentSession, sessionSchema } from './session/present-session.js';

const common = { family: 'catalog', tag: 'Access', auth: { scope: 'any' }, siteContext: false } as const;
const NO_SESSION = 'The request was sent with a token, and not with the cookie of a session';

const readSessionRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/session',
  operationId: 'getSession',
  summary: 'Read the present session',
  description: 'Who is logged in, with which scopes, until when, and the stages of the account.',
  refusals: { 404: NO_SESSION },
  responses: { 200: { description: 'The session in whose cookie the request was sent', schema: sessionSchema } },
  async handle({ principal }, { db }) {
    const { accountId, sessionId } = sessionOf(principal);
    return { status: 200, body: await presentSession(db, accountId, sessionId) };
  },
});

const logOutRoute = defineRoute({
  ...common,
  method: 'DELETE',
  path: '/api/v2/session',
  operationId: 'deleteSession',
  summary: 'Log out',
  description: 'Ends the present session and removes its cookie from the browser. A copy of the cookie is refused.',
  refusals: { 404: NO_SESSION },
  responses: { 204: { description: 'The session has ended' } },
  audit: 'SESSION_ENDED',
  async handle({ principal, audit }, services) {
    await end(sessionOf(principal).sessionId, audit, services);
    return { status: 204, headers: { 'Set-Cookie': clearCookie(services.publicUrl()) } };
  },
});

const listSessionsRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/sessions',
  operationId: 'listSessions',
  summary: 'List the sessions that are valid',
  description:
    "Those of the caller's own token; with the scope `access:admin` all of the account. At most 1,000, those first that were used last.",
  responses: { 200: { description: 'The sessions', schema: z.object({ data: z.array(listedSessionSchema) }) } },
  async handle({ principal }, { db }) {
    const { accountId, sessionId } = requireAccountPrincipal(principal);
    const sessions = await listSessions(db, accountId, { tokenId: ownOnly(principal) });
    return { status: 200, body: { data: sessions.map((session) => presentListed(session, sessionId)) } };
  },
});

const endSessionRoute = defineRoute({
  ...common,
  method: 'DELETE',
  path: '/api/v2/sessions/:sessionId',
  operationId: 'endSession',
  summary: 'End a session',
  description:
    "One of the caller's own token; with the scope `access:admin` any of the account. Its cookie is refused within seconds.",
  params: z.object({ sessionId: z.string().max(64) }),
  refusals: { 404: 'There is no such session that is valid and that the caller may see' },
  responses: { 204: { description: 'The session has ended' } },
  audit: 'SESSION_ENDED',
  async handle({ params: { sessionId: id }, principal, audit }, services) {
    const { accountId, sessionId } = requireAccountPrincipal(principal);
    const [found] = await listSessions(services.db, accountId, { id, tokenId: ownOnly(principal) });
    if (found === undefined) throw new DomainError('not-found', 'SESSION_NOT_FOUND', 'there is no such session');
    await end(id, audit, services);
    return { status: 204, headers: id === sessionId ? { 'Set-Cookie': clearCookie(services.publicUrl()) } : {} };
  },
});

async function end(id: string, audit: ApiRequest['audit'], { db, tokens }: ApiServices): Promise<void> {
  await audit.change(
    db,
    (trx) => endSession(trx, id),
    () => `session/${id}`,
  );
  tokens.forgetSession(id);
}

/** The token whose sessions alone the caller may see; undefined: all of the account. */
function ownOnly(principal: Principal): string | undefined {
  const { tokenId, scopes } = requireAccountPrincipal(principal);
  return scopes.includes('access:admin') ? undefined : tokenId;
}

/** @throws DomainError not-found when the request was sent with a token */
function sessionOf(principal: Principal): { readonly accountId: string; readonly sessionId: string } {
  const { accountId, sessionId } = requireAccountPrincipal(principal);
  if (sessionId !== undefined) return { accountId, sessionId };
  const message = 'this request was sent with a token: only requests with the cookie of a session have one';
  throw new DomainError('not-found', 'NO_SESSION', message);
}

export const sessionRoutes: readonly Route[] = [
  logInRoute,
  beginProviderLoginRoute,
  readSessionRoute,
  logOutRoute,
  listSessionsRoute,
  endSessionRoute,
];
