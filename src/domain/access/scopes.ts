/** The scopes of tokens: what a token allows. */

/** Scopes of an account's tokens. */
export const ACCOUNT_SCOPES = [
  'catalog:read',
  'catalog:write',
  'catalog:propose',
  'catalog:approve',
  'catalog:admin',
  'webhooks:read',
  'webhooks:write',
  'feeds:read',
  'feeds:write',
  'events:write',
  'documents:read',
  'documents:write',
  'notifications:send',
  'audit:read',
  'access:admin',
] as const;
export type AccountScope = (typeof ACCOUNT_SCOPES)[number];

/** The scope of operator tokens, which belong to no account and give access only to the operator routes. */
export const OPERATOR_SCOPE = 'operator';

/** Whether a text is the name of a scope that a token of an account can have. */
export function isAccountScope(text: string): text is AccountScope {
  return (ACCOUNT_SCOPES as readonly string[]).includes(text);
}
