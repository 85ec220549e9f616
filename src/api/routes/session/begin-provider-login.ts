/** POST /api/v2/session/provider: begins a login by the identity provider, in the browser that asks. */
import { z } from 'zod';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';
import type { IdentityProvider } from '../../identity-provider.js';
import { requireOwnPage } from '../../own-origin.js';
import { singleHeader } from '../../request-headers.js';
import type { ApiServices } from '../../services.js';
import { setCookie } from '../../session-cookie.js';
import { clientGone } from '../../waiting-client.js';

const LOGIN_MINUTES = 10;

export const beginProviderLoginRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/session/provider',
  operationId: 'beginProviderLogin',
  family: 'catalog',
  tag: 'Access',
  summary: 'Begin a login by the identity provider',
  description:
    'Answers the address at the identity provider to which the browser goes. From there it comes back to `/console/login`, whose query is exchanged by `createSession` within 10 minutes, in the same browser.',
  auth: { public: true },
  siteContext: false,
  refusals: {
    403: 'A page of another origin asks for it',
    404: 'No identity provider is configured',
    409: 'The provider sends browsers back to another address than that of this page',
    429: 'Too many logins of this address wait',
    503: 'The identity provider does not answer',
  },
  responses: {
    200: {
      description: 'Where to log in. The login is bound to the cookie in Set-Cookie',
      schema: z.object({ address: z.string() }).meta({ id: 'ProviderLogin' }),
    },
  },
  async handle({ koa }, services) {
    koa.set({ 'Cache-Control': 'no-store' });
    requireOwnPage(koa, services, 'accepted');
    const provider = requireProvider(services);
    const { askInTurn, addresses, publicUrl } = services;
    const origin = singleHeader(koa.req, 'origin');
    if (origin !== undefined && origin !== new URL(publicUrl()).origin) {
      const message = `${provider.config.name} sends you back to ${publicUrl()}: open the console there, at ${publicUrl()}/console/`;
      throw new DomainError('conflict', 'OTHER_ADDRESS', message);
    }
    const begun = await askInTurn(addresses.of(koa.req), clientGone(koa.res), () =>
      provider.begin(redirectUri(publicUrl())),
    );
    return {
      status: 200,
      body: { address: begun.address },
      headers: { 'Set-Cookie': setCookie(publicUrl(), begun.secret, LOGIN_MINUTES * 60, 'login') },
    };
  },
});

/** Where the provider sends browsers. It has to know this address. */
export function redirectUri(publicUrl: string): string {
  return `${publicUrl}/console/login`;
}

/** @throws DomainError not-found when none is configured */
export function requireProvider({ provider }: Pick<ApiServices, 'provider'>): IdentityProvider {
  if (provider !== null) return provider;
  throw new DomainError('not-found', 'NO_PROVIDER', 'no identity provider is configured: log in by a token or a link');
}
