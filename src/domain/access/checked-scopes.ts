/** The scopes that a new token or client may have. */
import { DomainError } from '../kernel/errors.js';
import { ACCOUNT_SCOPES, isAccountScope, OPERATOR_SCOPE } from './scopes.js';

/** @throws DomainError invalid; its message names the unknown scope */
export function checkedScopes(accountId: string | null, scopes: readonly string[] | undefined): string[] {
  if (accountId === null) {
    if (scopes?.some((scope) => scope !== OPERATOR_SCOPE)) {
      throw new DomainError('invalid', 'SCOPE', `an operator's token has the scope ${OPERATOR_SCOPE} and no other`);
    }
    return [OPERATOR_SCOPE];
  }
  const wanted = [...new Set(scopes ?? ACCOUNT_SCOPES)];
  const unknown = wanted.find((scope) => !isAccountScope(scope));
  if (unknown !== undefined || wanted.length === 0) {
    throw new DomainError(
      'invalid',
      'SCOPE',
      `${unknown === undefined ? 'no scope is given' : `"${unknown}" is not a scope of an account`}; the scopes are ${ACCOUNT_SCOPES.join(', ')}`,
    );
  }
  return wanted;
}
