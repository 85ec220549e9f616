/** Gives tokens and clients that may emit events the scopes of documents, which the scope of events allowed so far. */
import type { Knex } from 'knex';

const HOLDERS = ['access_token', 'oauth_client'] as const;
const SCOPES = "ARRAY['documents:read', 'documents:write']";

export async function up(knex: Knex): Promise<void> {
  for (const table of HOLDERS) {
    await knex.raw(
      `UPDATE ${table} SET scopes = scopes || ARRAY(
         SELECT scope FROM unnest(${SCOPES}) AS scope WHERE NOT scope = ANY (${table}.scopes))
       WHERE 'events:write' = ANY (scopes)`,
    );
  }
}

/** Earlier releases know these scopes under the name of the scope of events only. */
export async function down(knex: Knex): Promise<void> {
  for (const table of HOLDERS) {
    await knex.raw(
      `UPDATE ${table} SET scopes = ARRAY(
         SELECT scope FROM unnest(scopes) WITH ORDINALITY AS one (scope, place)
         WHERE scope <> ALL (${SCOPES}) ORDER BY place)
       WHERE scopes && ${SCOPES} AND 'events:write' = ANY (scopes)`,
    );
  }
}
