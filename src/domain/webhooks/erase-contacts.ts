/** Clears the log of events of personal data. */
import type { Knex } from 'knex';

/**
 * Empties `contactInfo` in the payloads of events, so that pending deliveries carry no contacts either. It also removes
 * the answers of targets, which may repeat what was sent; those to attempts under way will not be stored.
 * @returns how many of the events still exist
 */
export async function eraseContacts(trx: Knex.Transaction, eventIds: readonly string[]): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(EMPTY_CONTACTS, { eventIds: [...eventIds] });
  // Only a statement of its own sees the answers of attempts whose recording it has waited for.
  await trx.raw(REMOVE_ANSWERS, { eventIds: [...eventIds] });
  return rows.length;
}

/**
 * Locks the events in the order of their ids, and waits for attempts that are being recorded. Only the text of the
 * contacts is replaced, and every other byte of a payload stays. The first `"contactInfo":` of the text is the member of
 * the event itself: what stands before it is a type, an id or a name, in which quotation marks are escaped. If the text
 * does not contain it (earlier releases put spaces around colons), all members are written again, in the type json,
 * which keeps each value.
 */
const EMPTY_CONTACTS = `
  WITH locked AS MATERIALIZED (
    SELECT id FROM event WHERE id = ANY (:eventIds::text[]) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE event SET contacts_erased_at = now(), payload = (
    SELECT CASE
      WHEN member IS NULL THEN event.payload
      WHEN position(member in event.payload) > 0 THEN
        overlay(event.payload placing '"contactInfo":[]' from position(member in event.payload) for length(member))
      ELSE (SELECT json_object_agg(key, CASE key WHEN 'contactInfo' THEN '[]' ELSE value END)::text
            FROM json_each(event.payload::json)) END
    FROM (SELECT '"contactInfo":' || (event.payload::json -> 'contactInfo')::text AS member) AS contacts)
  FROM locked WHERE event.id = locked.id
  RETURNING event.id`;

const REMOVE_ANSWERS = `
  UPDATE delivery_attempt SET response = NULL
  WHERE response IS NOT NULL AND delivery_id IN (
    SELECT id FROM delivery WHERE event_id = ANY (:eventIds::text[]) AND callback_url IS NULL)`;
