/** Makes the token that a person of an account is. */
import type { Knex } from 'knex';
import { DomainError } from '../kernel/errors.js';
import { checkedName } from './accounts.js';
import { clientOfTokenName } from './clients.js';
import { ROLES, type Role } from './roles.js';
import { createToken } from './tokens.js';

/** With those who were removed and are not deleted yet: each is a row. */
const MAX_PEOPLE = 1_000;

interface NewPerson {
  readonly name: string;
  readonly role: Role;
}

/** Of two transactions that add people to an account, the second waits for the end of the first. */
export async function lockPeople(trx: Knex.Transaction, accountId: string): Promise<void> {
  await trx('account').where({ id: accountId }).forNoKeyUpdate().first('id');
}

/**
 * Adds a person after `lockPeople`. @returns the id of the token
 * @throws DomainError invalid (name), unprocessable (too many)
 */
export async function addPerson(trx: Knex.Transaction, accountId: string, { name, role }: NewPerson): Promise<string> {
  const [{ count = 0 } = {}] = await trx('access_token')
    .where({ account_id: accountId })
    .whereNotNull('role')
    .count('* AS count');
  if (Number(count) >= MAX_PEOPLE) {
    const message = `an account has at most ${MAX_PEOPLE} people; remove those who do not need access any more: they count for another day`;
    throw new DomainError('unprocessable', 'TOO_MANY_PEOPLE', message);
  }
  return (await createToken(trx, { accountId, name: personName(name), scopes: ROLES[role], role })).id;
}

/** @throws DomainError invalid when it is none, or would be taken for that of an OAuth client's token */
export function personName(name: string): string {
  const checked = checkedName(name);
  if (clientOfTokenName(checked) === undefined) return checked;
  throw new DomainError('invalid', 'NAME', `a person's name does not begin as those of the tokens of OAuth clients do`);
}
