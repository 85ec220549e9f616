/** The people of an account: tokens with a name and a role, which nobody has ever seen. They log in by links, or by an identity provider. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { type Role, scopesOf } from './roles.js';

/** What became of the last link of a person. */
type InvitationState = 'INVITED' | 'EXPIRED' | 'ACCEPTED';

export interface Person {
  /** That of the token. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The identity provider by which the person logs in; null: by links. */
  readonly issuer: string | null;
  readonly createdAt: Date;
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null;
  readonly invitation: {
    readonly state: InvitationState;
    /** When the link expires that was made last; null: it was deleted since. */
    readonly expiresAt: Date | null;
  };
}

/** Those of an account that were not removed, by name. */
export async function listPeople(db: Db, accountId: string): Promise<Person[]> {
  const { rows } = await db.raw<{ rows: PersonRow[] }>(`${PEOPLE} ORDER BY lower(name), id`, [accountId]);
  return rows.map(personOf);
}

/** @throws DomainError not-found */
export async function findPerson(db: Db, accountId: string, id: string): Promise<Person> {
  const { rows } = await db.raw<{ rows: PersonRow[] }>(`${PEOPLE} AND access_token.id = ?`, [accountId, id]);
  const [row] = rows;
  if (row !== undefined) return personOf(row);
  throw new DomainError('not-found', 'PERSON_NOT_FOUND', `there is no person ${id} in this account`);
}

/** Keeps the role and the scopes of a person as they are until the transaction ends. @throws DomainError not-found */
export async function lockPerson(trx: Knex.Transaction, accountId: string, id: string): Promise<readonly string[]> {
  const row = await trx('access_token')
    .where({ id, account_id: accountId, revoked_at: null })
    .whereNotNull('role')
    .forNoKeyUpdate()
    .first('role', 'scopes');
  if (row !== undefined) return scopesOf(row);
  throw new DomainError('not-found', 'PERSON_NOT_FOUND', `there is no person ${id} in this account`);
}

interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly issuer: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly was_used: boolean;
  readonly link_expires_at: Date | null;
  readonly is_open: boolean | null;
}

const PEOPLE = `
  SELECT access_token.id, access_token.name, access_token.role, access_token.created_at, access_token.last_used_at,
    person_identity.issuer, issuer IS NOT NULL OR access_token.last_used_at IS NOT NULL OR EXISTS (
      SELECT FROM login_code WHERE token_id = access_token.id AND used_at IS NOT NULL) AS was_used,
    newest.expires_at AS link_expires_at, newest.used_at IS NULL AND newest.expires_at > now() AS is_open
  FROM access_token
  LEFT JOIN person_identity ON person_identity.token_id = access_token.id
  LEFT JOIN LATERAL (
    SELECT used_at, expires_at FROM login_code WHERE token_id = access_token.id
    ORDER BY created_at DESC LIMIT 1) AS newest ON true
  WHERE access_token.account_id = ? AND access_token.role IS NOT NULL AND access_token.revoked_at IS NULL`;

function personOf(row: PersonRow): Person {
  const { id, name, role, issuer, created_at: createdAt, last_used_at: lastUsedAt } = row;
  const state = row.is_open === true ? 'INVITED' : row.was_used ? 'ACCEPTED' : 'EXPIRED';
  return { id, name, role, issuer, createdAt, lastUsedAt, invitation: { state, expiresAt: row.link_expires_at } };
}
