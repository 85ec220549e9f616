/** The roles of people: names for sets of scopes. */
import { ACCOUNT_SCOPES, type AccountScope } from './scopes.js';

const READING = ACCOUNT_SCOPES.filter((scope) => scope.endsWith(':read'));

/** Role → its scopes. */
export const ROLES = {
  viewer: READING,
  editor: [...READING, 'catalog:write', 'webhooks:write', 'feeds:write'],
  approver: [...READING, 'catalog:approve'],
  owner: ACCOUNT_SCOPES,
} as const satisfies Readonly<Record<string, readonly AccountScope[]>>;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = ['viewer', 'editor', 'approver', 'owner'] as const satisfies readonly Role[];

/**
 * What a token may do. A person has the scopes of the role as this release knows it; a role of a later release has those
 * that were stored with it.
 */
export function scopesOf({
  role,
  scopes,
}: {
  readonly role: string | null;
  readonly scopes: readonly string[];
}): readonly string[] {
  const known = ROLE_NAMES.find((name) => name === role);
  return known === undefined ? scopes : ROLES[known];
}

/** The role that has exactly these scopes; null: none has. */
export function roleOf(scopes: readonly string[]): Role | null {
  const isSame = (role: Role) =>
    ROLES[role].length === new Set(scopes).size && ROLES[role].every((scope) => scopes.includes(scope));
  return ROLE_NAMES.find(isSame) ?? null;
}
