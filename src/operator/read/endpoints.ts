/** Endpoints of webhooks over all accounts: those that do not work first. */
import type { Knex } from 'knex';
import { endpointStates } from '../../domain/webhooks/endpoint-states.js';
import { type Owner, rowsOf } from './reading.js';

const MOST_SICK = 50;
const MOST_OF_ACCOUNT = 200;

type State = NonNullable<Awaited<ReturnType<typeof endpointStates>> extends Map<string, infer S> ? S : never>;

export interface Endpoint extends Owner, State {
  readonly id: string;
  /** Without its path and query, which may contain secrets. */
  readonly host: string;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: Date | null;
}

export interface EndpointList {
  readonly endpoints: readonly Endpoint[];
  /** Whether there are more than were read. */
  readonly more: boolean;
}

/** The reason with which owners disable; all other definitions that are disabled, the system has disabled. */
const BY_OWNER = 'disabled on request';

const DEFINITION = `definition.id, definition.target, definition.status, definition.disabled_reason AS "disabledReason",
  definition.disabled_at AS "disabledAt", account.id AS "accountId", account.name AS "accountName", site.stage`;

/**
 * Endpoints of which attempts fail, long before a circuit breaker opens, those whose breaker is not closed, and those that
 * were disabled because of their failures; those that fail most first. The first condition is that of the index.
 */
export async function sickEndpoints(trx: Knex): Promise<EndpointList> {
  const rows = await rowsOf<DefinitionRow>(
    trx,
    `SELECT ${DEFINITION} FROM (
       (SELECT definition_id AS id FROM endpoint_health
        WHERE (openings > 0 OR failure_streak > 0 OR window_failures > 0)
          AND (openings > 0 OR failure_streak > 0 OR window_began_at > now() - interval '5 minutes')
        ORDER BY failure_streak DESC, window_failures DESC, definition_id LIMIT :most)
       UNION
       (SELECT id FROM webhook_definition WHERE status = 'DISABLED' AND disabled_reason <> :owner
        ORDER BY disabled_at DESC LIMIT :most)
     ) AS sick
     JOIN webhook_definition AS definition ON definition.id = sick.id
     JOIN site ON site.id = definition.site_id JOIN account ON account.id = site.account_id
     ORDER BY definition.id`,
    { most: MOST_SICK + 1, owner: BY_OWNER },
  );
  const { endpoints, more } = await withStates(trx, rows, MOST_SICK);
  return { endpoints: [...endpoints].sort(byFailures), more };
}

function byFailures(one: Endpoint, other: Endpoint): number {
  return other.failuresInARow - one.failuresInARow || (other.failureRate ?? 0) - (one.failureRate ?? 0);
}

/** The endpoints of an account. */
export async function endpointsOf(trx: Knex, accountIds: readonly string[]): Promise<EndpointList> {
  const rows = await rowsOf<DefinitionRow>(
    trx,
    `SELECT ${DEFINITION} FROM site
     JOIN webhook_definition AS definition ON definition.site_id = site.id
     JOIN account ON account.id = site.account_id
     WHERE site.account_id = ANY (:accountIds::text[]) ORDER BY definition.id LIMIT :most`,
    { accountIds: [...accountIds], most: MOST_OF_ACCOUNT + 1 },
  );
  return withStates(trx, rows, MOST_OF_ACCOUNT);
}

interface DefinitionRow extends Owner {
  readonly id: string;
  readonly target: string;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: Date | null;
}

async function withStates(trx: Knex, rows: readonly DefinitionRow[], most: number): Promise<EndpointList> {
  const shown = rows.slice(0, most);
  const states = await endpointStates(
    trx,
    shown.map(({ id }) => id),
  );
  const endpoints = shown.flatMap(({ target, ...row }) => {
    const state = states.get(row.id);
    return state === undefined ? [] : [{ ...row, ...state, host: hostOf(target) }];
  });
  return { endpoints, more: rows.length > most };
}

function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : 'not a URL';
}
