/** Filters by payload, which decide whether a definition gets an event. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A JSON text, as the client sent it; null: the definition gets every event to which it subscribes.
    ALTER TABLE webhook_definition ADD COLUMN filter text;
    ${PAYLOAD}
    ${MATCHES}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION webhook_filter_matches(jsonb, jsonb);
    DROP FUNCTION webhook_payload(text);
    ALTER TABLE webhook_definition DROP COLUMN filter;
  `);
}

/** Valid JSON can still be too much for jsonb: a number such as 1e200000. */
const PAYLOAD = `
  CREATE FUNCTION webhook_payload(payload text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
  BEGIN
    RETURN payload::jsonb;
  EXCEPTION WHEN others THEN
    RETURN NULL;
  END $$;`;

/** Numbers of jsonb keep all their digits, and are compared by value. */
const MATCHES = `
  CREATE FUNCTION webhook_filter_matches(payload jsonb, filter jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    part jsonb;
    found jsonb;
  BEGIN
    IF payload IS NULL OR filter IS NULL THEN
      RETURN true;
    END IF;
    IF filter -> 'all' IS NOT NULL THEN
      FOR part IN SELECT value FROM jsonb_array_elements(filter -> 'all') LOOP
        IF NOT webhook_filter_matches(payload, part) THEN
          RETURN false;
        END IF;
      END LOOP;
      RETURN true;
    END IF;
    IF filter -> 'any' IS NOT NULL THEN
      FOR part IN SELECT value FROM jsonb_array_elements(filter -> 'any') LOOP
        IF webhook_filter_matches(payload, part) THEN
          RETURN true;
        END IF;
      END LOOP;
      RETURN false;
    END IF;
    -- A JSON pointer (RFC 6901).
    found := payload #> ARRAY(
      SELECT replace(replace(segment, '~1', '/'), '~0', '~')
      FROM unnest(string_to_array(substr(filter ->> 'path', 2), '/')) WITH ORDINALITY AS segments (segment, nth)
      ORDER BY nth);
    IF filter -> 'exists' IS NOT NULL THEN
      RETURN (found IS NOT NULL) = (filter ->> 'exists')::boolean;
    END IF;
    IF found IS NULL THEN
      RETURN false;
    END IF;
    IF filter -> 'equals' IS NOT NULL THEN
      RETURN found = filter -> 'equals';
    END IF;
    RETURN EXISTS (SELECT FROM jsonb_array_elements(filter -> 'in') AS listed WHERE listed.value = found);
  END $$;`;
