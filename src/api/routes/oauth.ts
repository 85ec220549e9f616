/** POST /oauth2/token: issues access tokens by the client credentials grant (RFC 6749 §4.4). */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { GRANTED_TOKEN_SECONDS, grantToken, refusedGrant } from '../../domain/access/grant-token.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { nearestName } from '../../domain/kernel/nearest-name.js';
import { quoted } from '../../domain/kernel/value-problem.js';
import type { FailureBackoff } from '../../platform/limits/failure-backoff.js';
import { basicCredentials } from '../basic-credentials.js';
import { decodePercent } from '../body/decode-percent.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { singleHeader } from '../request-headers.js';
import { clientGone } from '../waiting-client.js';

const fields = {
  grant_type: z.string().describe('client_credentials'),
  scope: z.string().max(1_000).optional().describe('Separated by spaces. Default: all scopes of the client.'),
  client_id: z.string().max(255).optional().describe('Send it here or by HTTP Basic.'),
  client_secret: z.string().max(255).optional().describe('Send it here or by HTTP Basic.'),
};

/**
 * RFC 6749 §3.2: parameters that are not recognized are ignored, because clients send those of extensions (`audience`).
 * One that is almost a known name is refused all the same: with `scop`, a token would silently have all scopes.
 */
const form = z.looseObject(fields).superRefine(
  (given, context) => {
    const known = Object.keys(fields);
    for (const name of Object.keys(given).filter((one) => !known.includes(one))) {
      const nearest = nearestName(name, known, (candidate) => candidate);
      if (nearest === undefined) continue;
      const message = `there is no field ${quoted(name)}: did you mean "${nearest}"?`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  },
  // Also when a parameter is missing, because it may be the one that is misspelt.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);

const issueToken = defineRoute({
  method: 'POST',
  path: '/oauth2/token',
  operationId: 'createAccessToken',
  family: 'oauth',
  tag: 'Access',
  summary: 'Get an access token by client credentials',
  description: 'The client authenticates by HTTP Basic or with `client_id` and `client_secret` in the form, not both.',
  auth: { public: true },
  siteContext: false,
  body: { form, example: { grant_type: 'client_credentials' } },
  refusals: {
    401: 'The client is unknown, or its secret is wrong',
    429: 'Too many wrong secrets; try again after Retry-After seconds',
  },
  responses: {
    200: {
      description: 'A bearer token',
      schema: z.object({
        token_type: z.literal('Bearer'),
        access_token: z.string(),
        expires_in: z.literal(GRANTED_TOKEN_SECONDS).describe('Seconds'),
        scope: z.string(),
      }),
    },
  },
  async handle({ body, koa, requestId }, { db, addresses, clientFailures, grantInTurn, recorder }) {
    // §5.1: tokens and errors of this endpoint must not be cached.
    koa.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    if (body.grant_type !== 'client_credentials') {
      throw new DomainError('invalid', 'unsupported_grant_type', 'grant_type must be client_credentials');
    }
    const client = clientCredentials(koa.req, body);
    const address = addresses.of(koa.req);
    const from = { address: addresses.shown(koa.req), requestId };
    const grantOrNote = async () => {
      try {
        return await grantToken(db, { ...client, scope: body.scope }, new Date(), from);
      } catch (error) {
        if (error instanceof DomainError) recorder.refused(await refusedGrant(db, client.clientId, from, error.code));
        throw error;
      }
    };
    const grant = () => grantInTurn(address, clientGone(koa.res), grantOrNote);
    const granting = address === null ? grant() : backingOff(clientFailures, `${address} ${client.clientId}`, grant);
    const { token, scope } = await granting;
    return {
      status: 200,
      body: { token_type: 'Bearer', access_token: token, expires_in: GRANTED_TOKEN_SECONDS, scope },
    };
  },
});

/**
 * Counts wrong secrets of a client from an address, and makes the caller wait after several of them.
 * @throws DomainError busy with Retry-After, without looking at the secret, while the caller has to wait
 */
async function backingOff<T>(failures: FailureBackoff, caller: string, grant: () => Promise<T>): Promise<T> {
  const waitMs = failures.waitMs(caller);
  if (waitMs > 0) {
    const message = 'too many wrong client secrets came from this address; wait before you send the right one';
    throw new DomainError('busy', 'temporarily_unavailable', message, { retryAfterSeconds: waitMs / 1000 });
  }
  try {
    const granted = await grant();
    failures.succeeded(caller);
    return granted;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unauthorized') failures.failed(caller);
    throw error;
  }
}

/** @throws DomainError unauthorized (invalid_client), or invalid (invalid_request) if sent in both ways (§2.3) */
function clientCredentials(
  request: IncomingMessage,
  body: z.output<typeof form>,
): { clientId: string; clientSecret: string } {
  const header = singleHeader(request, 'authorization');
  const inForm = body.client_secret !== undefined;
  if (header !== undefined && inForm) {
    throw new DomainError(
      'invalid',
      'invalid_request',
      'the client authenticates twice: by Authorization and in the form',
    );
  }
  const basic = basicCredentials(header);
  // §2.3.1: both are form-encoded before they are put into Basic.
  const clientId = basic === undefined ? body.client_id : decodePercent(basic.user);
  const clientSecret = basic === undefined ? body.client_secret : decodePercent(basic.password);
  if (!clientId || !clientSecret || (header !== undefined && basic === undefined)) {
    throw new DomainError('unauthorized', 'invalid_client', 'client credentials are missing or malformed');
  }
  return { clientId, clientSecret };
}

export const oauthRoutes: readonly Route[] = [issueToken];
