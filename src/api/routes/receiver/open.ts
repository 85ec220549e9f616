/** POST /api/v2/receiver: exchanges the code of a receiver's link, once, for a session whose secret is in a cookie. */
import { z } from 'zod';
import { MAX_RECEIVER_HOURS, openReceiverLink } from '../../../domain/access/receiver-links.js';
import { definitionOfReceiver } from '../../../domain/webhooks/receivers.js';
import { defineRoute } from '../../define-route.js';
import { requireOwnPage } from '../../own-origin.js';
import { setCookie } from '../../session-cookie.js';
import { beginSession } from '../session/begin-session.js';
import { inTurn, secretBefore } from '../session/login-turns.js';
import { presentReceiver, receiverSchema } from './present-receiver.js';

/** Stands for the code of a link in the example. */
const EXAMPLE_CODE = 'lsl_CODE_OF_YOUR_LINK';
/** The link ends before: who receives looks at it now and then. */
const TIMES = { idleHours: MAX_RECEIVER_HOURS, days: MAX_RECEIVER_HOURS / 24 };

export const openReceiverRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/receiver',
  operationId: 'openReceiver',
  family: 'catalog',
  tag: 'Webhooks',
  summary: "Open a receiver's link",
  description:
    'Exchanges the code of a link, once, for a session of one webhook definition. Its secret is in a cookie that scripts cannot read, which the operations of receivers accept, and no others.',
  auth: { public: true },
  siteContext: false,
  body: {
    schema: z.strictObject({ code: z.string().min(1).max(512) }),
    example: { code: EXAMPLE_CODE },
  },
  refusals: {
    401: 'The link was opened before, has expired, was revoked or is unknown',
    403: 'A page of another origin asks for it',
    404: 'The webhook was deleted',
    429: 'Too many logins of this address were refused or wait; try again after Retry-After seconds',
  },
  audit: 'SESSION_STARTED',
  responses: { 200: { description: 'The endpoint, and the link', schema: receiverSchema } },
  async handle({ body, koa, requestId }, services) {
    koa.set({ 'Cache-Control': 'no-store' });
    requireOwnPage(koa, services, 'accepted');
    const { addresses, db, tokens, publicUrl } = services;
    const from = { address: addresses.shown(koa.req), requestId };
    const opened = await inTurn(koa, services, false, (inTransaction) =>
      inTransaction(async (trx) => {
        const link = await openReceiverLink(trx, body.code);
        const definition = await definitionOfReceiver(trx, link);
        const before = secretBefore(koa, services, 'receiver');
        const begun = await beginSession(trx, koa, { ...link, from, before, times: TIMES, prefix: 'lsr' });
        return { ...begun, link, definition };
      }),
    );
    if (opened.ended !== null) tokens.forgetSession(opened.ended);
    const seconds = Math.max(1, Math.floor((opened.link.expiresAt.getTime() - Date.now()) / 1000));
    return {
      status: 200,
      body: await presentReceiver(db, opened.link, opened.definition),
      headers: { 'Set-Cookie': setCookie(publicUrl(), opened.secret, seconds, 'receiver') },
    };
  },
});
