/** Describes with which credentials an operation is called. */
import type { Route } from '../define-route.js';

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: "A token of your account, or an operator's." },
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
  return auth.scope === 'operator' ? [{ bearer: [] }, { operatorBasic: [] }] : [{ bearer: [auth.scope] }];
}
