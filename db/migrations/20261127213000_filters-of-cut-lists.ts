/** Filters of payloads that ask what has changed pass events of items whose list of names was cut. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(matches(CUT));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(matches(''));
}

/** The name that is asked for may be one of those that the event has no room for. */
const CUT = `
      IF filter ->> 'path' = '/changed' AND payload -> 'changedTruncated' = 'true' THEN
        RETURN true;
      END IF;`;

/** As before, but for one more condition. Numbers of jsonb keep all their digits, and are compared by value. */
const matches = (condition: string) => `
  CREATE OR REPLACE FUNCTION webhook_filter_matches(payload jsonb, filter jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
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
    IF filter -> 'contains' IS NOT NULL THEN
      IF jsonb_typeof(found) <> 'array' THEN
        RETURN false;
      END IF;${condition}
      RETURN EXISTS (SELECT FROM jsonb_array_elements(found) AS held WHERE held.value = filter -> 'contains');
    END IF;
    RETURN EXISTS (SELECT FROM jsonb_array_elements(filter -> 'in') AS listed WHERE listed.value = found);
  END $$;`;
