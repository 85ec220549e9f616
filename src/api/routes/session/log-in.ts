/** POST /api/v2/session: exchanges a token, or the code of a link, for a session, whose secret is in a cookie. */
import { z } from 'zod';
import { type Actor, recordAudit } from '../../../domain/access/audit.js';
import { useLoginCode } from '../../../domain/access/login-codes.js';
import type { AccountPrincipal } from '../../../domain/access/principals.js';
import { endSessionOf, startSession } from '../../../domain/access/sessions.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';
import { requireOwnPage } from '../../own-origin.js';
import type { ApiServices } from '../../services.js';
import { setCookie } from '../../session-cookie.js';
import { inTurn, secretBefore } from './login-turns.js';
import { presentSession, sessionSchema } from './present-session.js';

const DAY_SECONDS = 86_400;
/**
 * Stands for a token in the example.
 * @internal exported for tests
 */
export const EXAMPLE_TOKEN = 'lst_YOUR_TOKEN';

const secret = z.string().min(1).max(512);
const loginSchema = z
  .strictObject({
    token: secret.optional().meta({ description: 'A token of your account' }),
    code: secret.optional().meta({ description: 'The code of a link that logs in once' }),
  })
  .refine(({ token, code }) => (token === undefined) !== (code === undefined), 'give either a token or a code');

export const logInRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/session',
  operationId: 'createSession',
  family: 'catalog',
  tag: 'Access',
  summary: 'Log in',
  description:
    'Exchanges a token, or the code of a link that logs in once, for a session. Its secret is in a cookie that scripts cannot read, and every operation of the account accepts this cookie instead of a token, from pages of the same origin. Each login makes a new session; the one that the browser had before ends.',
  auth: { public: true },
  siteContext: false,
  body: { schema: loginSchema, example: { token: EXAMPLE_TOKEN } },
  refusals: {
    401: 'The token is unknown, expired or revoked; or the code was used, has expired or is unknown',
    403: 'A page of another origin asks for it, or the token belongs to no account',
    429: 'Too many logins of this address were refused or wait; try again after Retry-After seconds',
  },
  audit: 'SESSION_STARTED',
  responses: { 200: { description: 'The session. Its cookie is in Set-Cookie', schema: sessionSchema } },
  async handle({ body, koa, requestId }, services) {
    koa.set({ 'Cache-Control': 'no-store' });
    requireOwnPage(koa, services, 'accepted');
    const { addresses, db, tokens, config, publicUrl } = services;
    const from = { address: addresses.shown(koa.req), requestId };
    const started = await inTurn(koa, services, async () => {
      const { token, code = '' } = body;
      const known = token === undefined ? undefined : await principalOf(token, services);
      return db.transaction(async (trx) => {
        const { accountId, tokenId } = known ?? (await useLoginCode(trx, code));
        const actor: Actor = { kind: 'token', id: tokenId, ...from };
        const before = secretBefore(koa, services);
        const ended = before === undefined ? null : await endSessionOf(trx, before);
        const browser = { userAgent: koa.get('user-agent') || null, address: from.address };
        const { id, secret } = await startSession(trx, tokenId, config.sessions, browser);
        await recordAudit(trx, [{ actor, accountId, action: 'SESSION_STARTED', target: `session/${id}` }]);
        return { id, secret, accountId, ended };
      });
    });
    if (started.ended !== null) tokens.forgetSession(started.ended);
    return {
      status: 200,
      body: await presentSession(db, started.accountId, started.id),
      headers: setCookie(publicUrl(), started.secret, config.sessions.days * DAY_SECONDS),
    };
  },
});

/** @throws DomainError unauthorized, or forbidden for the token of an operator */
async function principalOf(token: string, { tokens }: ApiServices): Promise<AccountPrincipal> {
  const principal = await tokens.authenticate(token);
  if (principal === null) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'the token is unknown, expired or revoked');
  }
  if (principal.kind === 'account') return principal;
  const message = "an operator's token belongs to no account: use it as the password of /admin";
  throw new DomainError('forbidden', 'FORBIDDEN', message);
}
