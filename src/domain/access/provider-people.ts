/** People who log in by an identity provider: their groups there say which role they have in which account. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { addPerson, lockPeople, personName } from './add-person.js';
import { type Actor, recordAudit } from './audit.js';
import { ROLES, type Role } from './roles.js';

/** What the provider says of somebody who has logged in there. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** The provider's identifier of the user, which never changes. */
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

/** Group → the roles that its members have, by account. */
export type GroupRoles = ReadonlyMap<string, readonly { readonly account: string; readonly role: Role }[]>;

/** Of several roles in one account counts the first of these. */
const STRONGEST_FIRST = ['owner', 'editor', 'approver', 'viewer'] as const satisfies readonly Role[];
/** Groups that a refusal names. */
const MAX_SHOWN_GROUPS = 20;
const MAX_SHOWN_CHARACTERS = 100;

interface Admission {
  readonly roles: GroupRoles;
  /** The provider's name, for sentences. */
  readonly provider: string;
  /** Which account somebody has chosen who may log in to several. */
  readonly account?: string | undefined;
  readonly from: Pick<Actor, 'address' | 'requestId'>;
}

/**
 * Makes the person, or gives them the role and the name that the provider says now.
 * @throws DomainError forbidden (NO_ROLE, ACCESS_REMOVED), conflict (CHOOSE_ACCOUNT, with the accounts as problems),
 *   unprocessable (too many people)
 */
export async function admitPerson(
  trx: Knex.Transaction,
  identity: ProviderIdentity,
  { roles, provider, account, from }: Admission,
): Promise<{ readonly tokenId: string; readonly accountId: string }> {
  const granted = rolesOf(identity, roles);
  const accounts: { id: string; name: string }[] = await trx('account')
    .whereIn('id', [...granted.keys()])
    .orderBy(['name', 'id'])
    .select('id', 'name');
  if (accounts.length === 0) throw withoutRole(identity, provider);
  const removed = await removedFrom(trx, identity);
  const open = accounts.filter(({ id }) => !removed.has(id));
  if (open.length === 0) {
    const message =
      'your access was removed: ask an owner of the account to invite you, or the operators to readmit you (npm run admin -- person readmit)';
    throw new DomainError('forbidden', 'ACCESS_REMOVED', message);
  }
  const chosen = open.find(({ id }) => id === account) ?? (open.length === 1 ? open[0] : undefined);
  const role = chosen === undefined ? undefined : granted.get(chosen.id);
  if (chosen === undefined || role === undefined) {
    const problems = open.map(({ id, name }) => ({ path: id, code: 'ACCOUNT', message: name }));
    const message = `you may log in to ${open.length} accounts: choose one of them`;
    throw new DomainError('conflict', 'CHOOSE_ACCOUNT', message, { problems });
  }
  await lockPeople(trx, chosen.id);
  const tokenId = await knownPerson(trx, identity, chosen.id);
  if (tokenId === undefined)
    return { tokenId: await newPerson(trx, identity, chosen.id, role, from), accountId: chosen.id };
  await update(trx, tokenId, chosen.id, { name: nameOf(identity), role }, from);
  return { tokenId, accountId: chosen.id };
}

/** Ends the sessions of somebody in the accounts in which no group gives them a role any more. */
export async function endLostAccess(db: Db, identity: ProviderIdentity, roles: GroupRoles): Promise<void> {
  await db.raw(
    `UPDATE session SET ended_at = now() FROM person_identity
     WHERE issuer = ? AND subject = ? AND account_id <> ALL (?::text[])
       AND session.token_id = person_identity.token_id AND session.ended_at IS NULL`,
    [identity.issuer, identity.subject, [...rolesOf(identity, roles).keys()]],
  );
}

interface RemovedPerson {
  readonly id: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
}

/** Those whose access was removed, and who are refused although the provider knows them. */
export async function listRemoved(db: Db, accountId: string): Promise<RemovedPerson[]> {
  return db('person_identity')
    .leftJoin('access_token', 'access_token.id', 'person_identity.token_id')
    .where('person_identity.account_id', accountId)
    .where((gone) => gone.whereNull('access_token.id').orWhereNotNull('access_token.revoked_at'))
    .orderBy(['person_identity.created_at', 'person_identity.token_id'])
    .select({
      id: 'person_identity.token_id',
      accountId: 'person_identity.account_id',
      issuer: 'issuer',
      subject: 'subject',
    });
}

/** Lets somebody log in again, as a new person. @throws DomainError not-found */
export async function readmitPerson(trx: Knex.Transaction, id: string): Promise<RemovedPerson> {
  const found = await trx('person_identity').where({ token_id: id }).first();
  const removed = found === undefined ? [] : await listRemoved(trx, found.account_id);
  const person = removed.find((one) => one.id === id);
  if (person === undefined) {
    throw new DomainError('not-found', 'PERSON_NOT_FOUND', `no person ${id} was removed who logs in by a provider`);
  }
  await trx('person_identity').where({ token_id: id }).delete();
  return person;
}

/** Account → the role there. */
function rolesOf({ groups }: ProviderIdentity, roles: GroupRoles): ReadonlyMap<string, Role> {
  const given = groups.flatMap((group) => roles.get(group) ?? []);
  const granted = new Map<string, Role>();
  for (const role of STRONGEST_FIRST.toReversed())
    for (const one of given) if (one.role === role) granted.set(one.account, role);
  return granted;
}

function withoutRole({ groups }: ProviderIdentity, provider: string): DomainError {
  const shown = groups.slice(0, MAX_SHOWN_GROUPS).map((group) => `"${group.slice(0, MAX_SHOWN_CHARACTERS)}"`);
  const more = groups.length > shown.length ? ` and ${groups.length - shown.length} more` : '';
  const which =
    groups.length === 0 ? 'names no groups of yours' : `says that your groups are ${shown.join(', ')}${more}`;
  const message = `${provider} ${which}: none of them has a role here. Ask those who administer ${provider} to add you to a group that has one, or the operators of Longshore to give one of yours a role (OIDC_ROLES)`;
  return new DomainError('forbidden', 'NO_ROLE', message);
}

/** The accounts in which the person's token is revoked or gone. */
async function removedFrom(trx: Knex.Transaction, { issuer, subject }: ProviderIdentity): Promise<ReadonlySet<string>> {
  const rows: { account_id: string }[] = await trx('person_identity')
    .leftJoin('access_token', 'access_token.id', 'person_identity.token_id')
    .where({ issuer, subject })
    .where((gone) => gone.whereNull('access_token.id').orWhereNotNull('access_token.revoked_at'))
    .select('person_identity.account_id');
  return new Set(rows.map(({ account_id: id }) => id));
}

async function knownPerson(
  trx: Knex.Transaction,
  { issuer, subject }: ProviderIdentity,
  accountId: string,
): Promise<string | undefined> {
  const row = await trx('person_identity').where({ issuer, subject, account_id: accountId }).first('token_id');
  return row?.token_id;
}

async function newPerson(
  trx: Knex.Transaction,
  identity: ProviderIdentity,
  accountId: string,
  role: Role,
  from: Admission['from'],
): Promise<string> {
  const id = await addPerson(trx, accountId, { name: nameOf(identity), role });
  const { issuer, subject } = identity;
  await trx('person_identity').insert({ account_id: accountId, issuer, subject, token_id: id });
  const actor: Actor = { kind: 'token', id, ...from };
  await recordAudit(trx, [{ actor, accountId, action: 'PERSON_ADMITTED', target: `token/${id}` }]);
  return id;
}

async function update(
  trx: Knex.Transaction,
  id: string,
  accountId: string,
  { name, role }: { readonly name: string; readonly role: Role },
  from: Admission['from'],
): Promise<void> {
  const before = await trx('access_token').where({ id }).forNoKeyUpdate().first('name', 'role');
  if (before?.name === name && before.role === role) return;
  await trx('access_token')
    .where({ id })
    .update({ name, role, scopes: [...ROLES[role]] });
  const actor: Actor = { kind: 'token', id, ...from };
  await recordAudit(trx, [{ actor, accountId, action: 'PERSON_CHANGED', target: `token/${id}` }]);
}

/** People choose their names at many providers: one that no person may have here is replaced. */
function nameOf({ name, subject }: ProviderIdentity): string {
  const storable = name.slice(0, 200).replace(/\p{C}/gu, '');
  try {
    return personName(storable);
  } catch {
    return `person ${subject.slice(0, 200).replace(/\p{C}/gu, '')}`;
  }
}
