/** Invites people, changes their roles and removes them: nobody grants, or takes away, more than their own scopes. */
import type { Knex } from 'knex';
import { DomainError } from '../kernel/errors.js';
import { addPerson, lockPeople, personName } from './add-person.js';
import { makeLoginCode } from './login-codes.js';
import { findPerson, lockPerson, type Person } from './people.js';
import type { AccountPrincipal } from './principals.js';
import { ROLES, type Role } from './roles.js';

/** How long an invitation is valid. */
const INVITATION_HOURS = 72;

/** A person, and the code of the link that logs in. */
interface Invited {
  readonly person: Person;
  readonly code: string;
}

/** @throws DomainError invalid (name), forbidden (the role has more scopes than the caller), unprocessable (too many) */
export async function createPerson(
  trx: Knex.Transaction,
  caller: AccountPrincipal,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<Invited> {
  const { accountId } = caller;
  requireScopes(caller, ROLES[role], `the role ${role} has`);
  await lockPeople(trx, accountId);
  return link(trx, accountId, await addPerson(trx, accountId, { name, role }));
}

/** Makes a new link for a person; the one before is worthless then. @throws DomainError forbidden, conflict (PROVIDER_PERSON) or not-found */
export async function inviteAgain(trx: Knex.Transaction, caller: AccountPrincipal, id: string): Promise<Invited> {
  requireScopes(caller, await lockPerson(trx, caller.accountId, id), 'this person has');
  await requireLinks(trx, id);
  return link(trx, caller.accountId, id);
}

/** @throws DomainError invalid (name), forbidden (scopes), conflict (one's own role, PROVIDER_PERSON), or not-found */
export async function changePerson(
  trx: Knex.Transaction,
  caller: AccountPrincipal,
  id: string,
  { name, role }: { readonly name?: string | undefined; readonly role?: Role | undefined },
): Promise<Person> {
  requireScopes(caller, await lockPerson(trx, caller.accountId, id), 'this person has');
  await requireLinks(trx, id);
  if (role !== undefined) {
    requireOther(caller, id);
    requireScopes(caller, ROLES[role], `the role ${role} has`);
  }
  const change = {
    ...(name === undefined ? {} : { name: personName(name) }),
    ...(role === undefined ? {} : { role, scopes: [...ROLES[role]] }),
  };
  if (Object.keys(change).length > 0) await trx('access_token').where({ id }).update(change);
  return findPerson(trx, caller.accountId, id);
}

/** Revokes the person's token, which is deleted a day later, and with it all sessions and links. @throws DomainError forbidden, conflict or not-found */
export async function removePerson(trx: Knex.Transaction, caller: AccountPrincipal, id: string): Promise<void> {
  requireScopes(caller, await lockPerson(trx, caller.accountId, id), 'this person has');
  requireOther(caller, id);
  await trx('access_token').where({ id }).update({ revoked_at: trx.fn.now(), expires_at: trx.fn.now() });
}

async function link(trx: Knex.Transaction, accountId: string, id: string): Promise<Invited> {
  const { code } = await makeLoginCode(trx, id, INVITATION_HOURS * 60);
  return { person: await findPerson(trx, accountId, id), code };
}

/** @throws DomainError forbidden */
function requireScopes({ scopes }: AccountPrincipal, needed: readonly string[], who: string): void {
  const missing = needed.filter((scope) => !scopes.some((own) => own === scope));
  if (missing.length === 0) return;
  const message = `${who} scopes that you do not have yourself: ${missing.join(', ')}`;
  throw new DomainError('forbidden', 'SCOPES_EXCEEDED', message);
}

/** An account whose last owner has lost the role could not be administered any more. @throws DomainError conflict */
function requireOther({ tokenId }: AccountPrincipal, id: string): void {
  if (tokenId !== id) return;
  const message = 'nobody changes their own role or removes themselves: ask another owner';
  throw new DomainError('conflict', 'OWN_ACCESS', message);
}

/** What an identity provider says of a person is not changed here, and nobody passes it by. @throws DomainError conflict */
async function requireLinks(trx: Knex.Transaction, id: string): Promise<void> {
  if ((await trx('person_identity').where({ token_id: id }).first('token_id')) === undefined) return;
  const message =
    'this person logs in by your identity provider: name and role follow from what it says at each login. Change the groups there, or remove the person here';
  throw new DomainError('conflict', 'PROVIDER_PERSON', message);
}
