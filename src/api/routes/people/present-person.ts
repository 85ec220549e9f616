/** The documents of people. */
import { z } from 'zod';
import type { Person } from '../../../domain/access/people.js';
import { ROLE_NAMES } from '../../../domain/access/roles.js';

const time = z.iso.datetime();

export const personSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLE_NAMES),
    issuer: z.string().nullable().meta({
      description:
        'The identity provider by which the person logs in, which says the name and the role; null: by links',
    }),
    createdAt: time,
    lastUsedAt: time.nullable().meta({ description: 'To the minute; null: never' }),
    invitation: z.object({
      state: z.enum(['INVITED', 'EXPIRED', 'ACCEPTED']).meta({
        description:
          'INVITED: a link waits to be used. EXPIRED: the person has never logged in, and has no link that is valid. ACCEPTED: the person has logged in',
      }),
      expiresAt: time.nullable().meta({ description: 'Of the link that was made last' }),
    }),
  })
  .meta({ id: 'Person' });

export const invitedSchema = personSchema
  .extend({ link: z.string().meta({ description: 'Logs in once, within 72 hours. It is not shown again' }) })
  .meta({ id: 'InvitedPerson' });

export function presentPerson({ createdAt, lastUsedAt, invitation, ...person }: Person): z.output<typeof personSchema> {
  return {
    ...person,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    invitation: { state: invitation.state, expiresAt: invitation.expiresAt?.toISOString() ?? null },
  };
}
