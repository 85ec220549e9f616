/** The groups of a user in the claims of an identity provider. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * @param path the name of a claim; or, where there is none of this name, names with dots between them: `realm_access.roles`
 * @returns undefined: there is no such claim. A single text is one group
 */
export function groupsIn(claims: Claims, path: string): readonly string[] | undefined {
  // Anybody can claim an address at some providers: only those that were checked say anything.
  if (path === 'email' && claims.email_verified !== true) return claims.email === undefined ? undefined : [];
  const value = Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce<unknown>(memberOf, claims);
  if (value === undefined || value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).filter((group): group is string => typeof group === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Claims)[name];
}
