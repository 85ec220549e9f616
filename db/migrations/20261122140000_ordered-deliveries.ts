/** Definitions whose deliveries are attempted in the order of emission, by a key that events have. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Nullable columns without a default: no table is rewritten.
  await knex.raw(`
    ALTER TABLE webhook_definition
      -- null: deliveries have no order. key: those of one key are attempted in the order of emission.
      ADD COLUMN ordering text CONSTRAINT webhook_definition_ordering_ck CHECK (ordering = 'key');
    ALTER TABLE event
      -- Orders the events of a key: microseconds since 1970, by the clock of the database, and the place among those of
      -- one statement. null: emitted before there was an order, or to an owner only.
      ADD COLUMN order_no bigint,
      -- The type and id of the document that the event is about; null: about none.
      ADD COLUMN document text;
    ALTER TABLE delivery
      -- Both null: the delivery has no order.
      ADD COLUMN order_key text COLLATE "C",
      ADD COLUMN order_no bigint,
      -- The delivery of the same key whose end makes this one due; null: it does not wait for one.
      ADD COLUMN waits_behind text COLLATE "C";
    ALTER TABLE event ALTER COLUMN order_no SET STATISTICS 0;
    ALTER TABLE delivery ALTER COLUMN order_key SET STATISTICS 0, ALTER COLUMN order_no SET STATISTICS 0;
    -- No delivery without an order is in it.
    CREATE INDEX delivery_order_ix ON delivery (definition_id, order_key, order_no)
      WHERE status = 'PENDING' AND order_key IS NOT NULL;
    -- Only events that are being fanned out: later ones of their key wait for them.
    CREATE INDEX event_order_ix
      ON event (site_id, (coalesce('order ' || order_number, 'document ' || document)), order_no)
      WHERE fanned_out_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX delivery_order_ix;
    -- What waits for another delivery would be due much later.
    UPDATE delivery SET next_attempt_at = now() WHERE waits_behind IS NOT NULL AND status = 'PENDING';
    ALTER TABLE delivery DROP COLUMN order_key, DROP COLUMN order_no, DROP COLUMN waits_behind;
    DROP INDEX event_order_ix;
    ALTER TABLE event DROP COLUMN order_no, DROP COLUMN document;
    ALTER TABLE webhook_definition DROP COLUMN ordering;
  `);
}
