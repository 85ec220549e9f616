/** POST /api/v2/session: exchanges a token, the code of a link, or a login by the identity provider, for a session, whose secret is in a cookie. */
import type { Knex } from 'knex';
import { z } from 'zod';
import { listSessions } from '../../../domain/access/sessions.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';
import { requireOwnPage } from '../../own-origin.js';
import { clearCookie, setCookie } from '../../session-cookie.js';
import { beginSession } from './begin-session.js';
import { inTurn, secretBefore } from './login-turns.js';
import { presentSession, sessionSchema } from './present-session.js';
import { whoLogsIn } from './who-logs-in.js';

const DAY_SECONDS = 86_400;
/** Stands for a token in the example. */
const EXAMPLE_TOKEN = 'lst_YOUR_TOKEN';

const secret = z.string().min(1).max(512);
const loginSchema = z
  .strictObject({
    token: secret.optional().meta({ description: 'A token of your account' }),
    code: secret.optional().meta({ description: 'The code of a link that logs in once' }),
    callback: z.string().min(1).max(8_192).optional().meta({
      description: 'The query with which the identity provider has sent the browser back: see `beginProviderLogin`',
    }),
    account: z.string().max(64).optional().meta({
      description: 'With `callback`: the account to log in to, where the groups of a person have roles in several',
    }),
    replace: z.boolean().optional().meta({
      description: 'With `code`: whether it may replace the session of somebody else that the browser has',
    }),
  })
  .refine(
    ({ token, code, callback }) => [token, code, callback].filter((one) => one !== undefined).length === 1,
    'give either a token, a code or a callback',
  );

export const logInRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/session',
  operationId: 'createSession',
  family: 'catalog',
  tag: 'Access',
  summary: 'Log in',
  description:
    'Exchanges a token, the code of a link that logs in once, or a login by the identity provider, for a session. Its secret is in a cookie that scripts cannot read, and every operation of the account accepts this cookie instead of a token, from pages of the same origin. Each login makes a new session; the one that the browser had before ends. A link of somebody else does so only with `replace`.',
  auth: { public: true },
  siteContext: false,
  body: { schema: loginSchema, example: { token: EXAMPLE_TOKEN } },
  refusals: {
    401: 'The token is unknown, expired or revoked; the code was used, has expired or is unknown; or the identity provider does not confirm the login',
    403: 'A page of another origin asks for it; the token belongs to no account; or the person has no role, or none any more',
    404: 'No identity provider is configured',
    409: 'The browser has a session of somebody else (`errors` names both), or the person may log in to several accounts (`errors` lists them)',
    422: 'The account has as many people as it may have',
    429: 'Too many logins of this address were refused or wait; try again after Retry-After seconds',
    503: 'The identity provider does not answer',
  },
  audit: 'SESSION_STARTED',
  responses: { 200: { description: 'The session. Its cookie is in Set-Cookie', schema: sessionSchema } },
  async handle({ body, koa, requestId }, services) {
    koa.set({ 'Cache-Control': 'no-store' });
    requireOwnPage(koa, services, 'accepted');
    const { addresses, db, tokens, config, publicUrl } = services;
    const from = { address: addresses.shown(koa.req), requestId };
    const started = await inTurn(koa, services, body.callback !== undefined, async (inTransaction) => {
      const whose = await whoLogsIn(body, koa, services, from);
      return inTransaction(async (trx) => {
        const { accountId, tokenId } = await whose(trx);
        const before = secretBefore(koa, services);
        if (before !== undefined && body.code !== undefined && body.replace !== true) {
          await refuseOther(trx, before, tokenId);
        }
        const times = config.sessions;
        return { ...(await beginSession(trx, koa, { accountId, tokenId, from, before, times })), accountId };
      });
    });
    if (started.ended !== null) tokens.forgetSession(started.ended);
    const cookie = setCookie(publicUrl(), started.secret, config.sessions.days * DAY_SECONDS);
    return {
      status: 200,
      body: await presentSession(db, started.accountId, started.id),
      headers: { 'Set-Cookie': body.callback === undefined ? cookie : [cookie, clearCookie(publicUrl(), 'login')] },
    };
  },
});

/** Who opens a link may not know whose it is: what they do then would be done as somebody else. @throws DomainError conflict */
async function refuseOther(trx: Knex.Transaction, before: string, tokenId: string): Promise<void> {
  const [present] = await listSessions(trx, undefined, { secret: before });
  if (present === undefined || present.tokenId === tokenId) return;
  const offered = await trx('access_token').where({ id: tokenId }).first('name');
  const message = `you are logged in as ${present.name}, and this link logs in as ${offered?.name}: send "replace": true to do so`;
  const problems = [
    { path: 'present', code: 'NAME', message: present.name },
    { path: 'offered', code: 'NAME', message: String(offered?.name) },
  ];
  throw new DomainError('conflict', 'OTHER_SESSION', message, { problems });
}
