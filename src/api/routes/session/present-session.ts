/** The documents of sessions. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import { requireAccount } from '../../../domain/access/accounts.js';
import { ROLE_NAMES, roleOf } from '../../../domain/access/roles.js';
import { listSessions, type SessionView } from '../../../domain/access/sessions.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { listStages } from '../../../domain/settings/stages.js';

const time = z.iso.datetime();

export const sessionSchema = z
  .object({
    id: z.string(),
    accountId: z.string(),
    accountName: z.string().meta({ description: 'As operators have named the account' }),
    tokenId: z.string(),
    name: z.string().meta({ description: 'That of the token' }),
    role: z.enum(ROLE_NAMES).nullable().meta({ description: 'null: the token has the scopes of no role' }),
    scopes: z.array(z.string()),
    createdAt: time,
    idleExpiresAt: time.meta({ description: 'When it ends unless it is used before; to the minute' }),
    expiresAt: time.meta({ description: 'When it ends at the latest' }),
    stages: z.array(
      z.object({
        name: z.string(),
        live: z
          .boolean()
          .meta({ description: 'Whether customers see what is changed in it: see `live` of its settings' }),
        createdAt: time.nullable().meta({ description: 'null: nothing was written to it yet' }),
      }),
    ),
  })
  .meta({ id: 'Session' });

export const listedSessionSchema = z
  .object({
    id: z.string(),
    tokenId: z.string(),
    name: z.string().meta({ description: 'That of the token' }),
    current: z.boolean().meta({ description: 'Whether this request was sent in it' }),
    createdAt: time,
    lastUsedAt: time.meta({ description: 'To the minute' }),
    idleExpiresAt: time,
    expiresAt: time,
    userAgent: z.string().nullable(),
    address: z.string().nullable(),
  })
  .meta({ id: 'ListedSession' });

/** @throws DomainError unauthorized when it has ended meanwhile */
export async function presentSession(db: Db, accountId: string, id: string): Promise<z.output<typeof sessionSchema>> {
  const [session] = await listSessions(db, accountId, { id });
  if (session === undefined) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'the session has expired or was ended: log in again');
  }
  const { tokenId, name, scopes } = session;
  const stages = await listStages(db, accountId);
  const { name: accountName } = await requireAccount(db, accountId);
  return {
    ...{ id, accountId, accountName, tokenId, name, role: roleOf(scopes), scopes: [...scopes] },
    ...timesOf(session),
    stages: stages.map(({ createdAt, ...stage }) => ({ ...stage, createdAt: createdAt?.toISOString() ?? null })),
  };
}

export function presentListed(session: SessionView, current: string | undefined): z.output<typeof listedSessionSchema> {
  const { id, tokenId, name, lastUsedAt, userAgent, address } = session;
  return {
    ...{ id, tokenId, name, current: id === current, userAgent, address },
    ...timesOf(session),
    lastUsedAt: lastUsedAt.toISOString(),
  };
}

function timesOf({ createdAt, idleExpiresAt, expiresAt }: SessionView) {
  const ends = Math.min(idleExpiresAt.getTime(), expiresAt.getTime());
  return {
    createdAt: createdAt.toISOString(),
    idleExpiresAt: new Date(ends).toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
