/** Describes with which credentials an operation is called. */
import type { Route } from '../define-route.js';

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: "A token of your account, or an operator's." },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'longshore_session',
    description:
      'The cookie of a session, from pages of the same origin; `__Host-longshore_session` where the service is called by HTTPS, and with the port and the path of the service behind it where it has any. Requests that may change something need the header Origin.',
  },
  receiver: {
    type: 'apiKey',
    in: 'cookie',
    name: 'longshore_receiver',
    description:
      'The cookie that the link of a receiver sets, from pages of the same origin; `__Host-longshore_receiver` where the service is called by HTTPS. It opens these operations alone.',
  },
  operatorBasic: { type: 'http', scheme: 'basic', description: "An operator's token as the password, for browsers." },
  clientBasic: { type: 'http', scheme: 'basic', description: 'An OAuth client and its secret.' },
};

/** The schemes that the operations use. */
export function schemesOf(routes: readonly Route[]): Record<string, unknown> {
  const used = new Set(routes.flatMap(securityOf).flatMap(Object.keys));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

export function securityOf({ auth, family }: Route): Readonly<Record<string, readonly string[]>>[] {
  if (family === 'oauth') return [{ clientBasic: [] }, {}];
  if (!('scope' in auth)) return [];
  if (auth.scope === 'operator') return [{ bearer: [] }, { operatorBasic: [] }];
  if (auth.scope === 'receiver') return [{ receiver: [] }];
  // Tokens that may only propose are refused where they ask for more than a dry run or a job that waits for an approval.
  const proposing = auth.orProposing === true ? [{ bearer: ['catalog:propose'] }] : [];
  return [{ bearer: auth.scope === 'any' ? [] : [auth.scope] }, ...proposing, { session: [] }];
}
