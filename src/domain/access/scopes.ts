/** What a token may be allowed to do. */

/** Scopes of an account's tokens. */
export const ACCOUNT_SCOPES = [
  'catalog:read',
  'catalog:write',
  'webhooks:read',
  'webhooks:write',
  'events:write',
  'notifications:send',
] as const;
export type AccountScope = (typeof ACCOUNT_SCOPES)[number];

/** The scope of tokens that belong to no account and open the operator's routes only. */
export const OPERATOR_SCOPE = 'operator';

/** Whether a text names a scope that an account's token can carry. */
export function isAccountScope(text: string): text is AccountScope {
  return (ACCOUNT_SCOPES as readonly string[]).includes(text);
}
