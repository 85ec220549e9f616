/** Who is called on which events, the events, and what became of each delivery. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(DEFINITIONS);
  await knex.raw(EVENTS);
  await knex.raw(DELIVERIES);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE delivery_attempt, delivery, event, endpoint_health, webhook_definition;
    ALTER TABLE account DROP COLUMN callback_secret, DROP COLUMN previous_callback_secret,
      DROP COLUMN previous_callback_secret_until;
  `);
}

/** Everything called "sealed" is AES-256-GCM under SECRETS_KEY (src/domain/access/sealed-secret.ts). */
const DEFINITIONS = `
  -- What job callbacks are signed with, sealed; made when it is first needed. The previous one signs too for a while.
  ALTER TABLE account
    ADD COLUMN callback_secret text,
    ADD COLUMN previous_callback_secret text,
    ADD COLUMN previous_callback_secret_until timestamptz;

  CREATE TABLE webhook_definition (
    id                    text COLLATE "C" CONSTRAINT webhook_definition_pk PRIMARY KEY,
    account_id            text COLLATE "C" NOT NULL,
    site_id               integer NOT NULL CONSTRAINT webhook_definition_site_fk REFERENCES site (id) ON DELETE CASCADE,
    -- Hears the events of this channel only; null: of all, and those without one.
    channel               integer,
    target                text NOT NULL,
    -- SHA-256 of the target, which is too long for an index.
    target_digest         bytea NOT NULL,
    protocol              text NOT NULL,
    source                text NOT NULL,
    -- As the client named them; "*" is every event of the source.
    events                text[] NOT NULL,
    request_type          text NOT NULL DEFAULT 'POST',
    api_version           text NOT NULL DEFAULT '',
    format                text NOT NULL DEFAULT 'application/json',
    callback_url          text,
    target_api_key        text,
    -- The last characters of the key, for the mask.
    target_api_key_hint   text,
    secret                text NOT NULL,
    previous_secret       text,
    previous_secret_until timestamptz,
    -- Deliveries a second, at most; null: no limit of its own.
    rate_limit            integer CONSTRAINT webhook_definition_rate_ck CHECK (rate_limit > 0),
    status                text NOT NULL DEFAULT 'ACTIVE'
                          CONSTRAINT webhook_definition_status_ck CHECK (status IN ('ACTIVE', 'DISABLED')),
    disabled_reason       text,
    created_at            timestamptz NOT NULL DEFAULT now(),
    updated_at            timestamptz NOT NULL DEFAULT now(),
    -- The duplicate rule, for two requests at once as well. Stage and channel take no part in it.
    CONSTRAINT webhook_definition_target_uq UNIQUE (account_id, target_digest, protocol, source, api_version)
  );
  -- Who hears an event: paged by id.
  CREATE INDEX webhook_definition_source_ix ON webhook_definition (site_id, source, id) WHERE status = 'ACTIVE';
  CREATE INDEX webhook_definition_created_ix ON webhook_definition (site_id, created_at, id);

  -- How an endpoint has been doing, apart from its definition: changed often, in place. Made with the definition.
  CREATE TABLE endpoint_health (
    definition_id    text COLLATE "C" CONSTRAINT endpoint_health_pk PRIMARY KEY
                     CONSTRAINT endpoint_health_definition_fk REFERENCES webhook_definition (id) ON DELETE CASCADE,
    -- Failed attempts in a row, the deliveries they were of, and when the first of them was.
    failure_streak   integer NOT NULL DEFAULT 0,
    failed_deliveries integer NOT NULL DEFAULT 0,
    failing_since    timestamptz,
    -- Attempts of the window that began then.
    window_began_at  timestamptz,
    window_attempts  integer NOT NULL DEFAULT 0,
    window_failures  integer NOT NULL DEFAULT 0,
    -- The breaker: open until then, and how often it opened without a success in between.
    open_until       timestamptz,
    openings         integer NOT NULL DEFAULT 0,
    -- The endpoint asked for a pause (Retry-After).
    paused_until     timestamptz,
    -- Deliveries wait for the outcome of one that tries it out.
    probing_since    timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
`;

const EVENTS = `
  -- No foreign keys from here on: each costs the hot path a look and a lock. Rows leave by age, in batches.
  CREATE TABLE event (
    -- What clients know as eventRequestId; begins with its second, so that age is a range of the key.
    id               text COLLATE "C" CONSTRAINT event_pk PRIMARY KEY,
    site_id          integer NOT NULL,
    account_id       text COLLATE "C" NOT NULL,
    source           text NOT NULL,
    event            text NOT NULL,
    channel          integer,
    order_number     text,
    -- A JSON text of at most 256 kB, as it came: its numbers keep their digits.
    payload          text NOT NULL,
    triggered_at     timestamptz NOT NULL DEFAULT now(),
    -- Deliveries made for definitions so far.
    deliveries       integer NOT NULL DEFAULT 0,
    -- Fan-out in steps, for events that many hear: definitions up to this id have their delivery.
    fan_out_after    text COLLATE "C",
    dispatch         integer NOT NULL DEFAULT 0,
    dispatched_at    timestamptz,
    fan_out_attempts integer NOT NULL DEFAULT 0,
    -- All who hear it have their delivery.
    fanned_out_at    timestamptz
  ) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  CREATE INDEX event_site_ix ON event (site_id, triggered_at, id);
  CREATE INDEX event_fan_out_ix ON event (dispatched_at) WHERE fanned_out_at IS NULL;
`;

const DELIVERIES = `
  CREATE TABLE delivery (
    id              text COLLATE "C" CONSTRAINT delivery_pk PRIMARY KEY
                    DEFAULT lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0')
                      || right(gen_random_uuid()::text, 12) || left(gen_random_uuid()::text, 4),
    event_id        text COLLATE "C" NOT NULL,
    -- Whose target it is for and whose secrets sign it; null: a callback signed with the account's secret.
    definition_id   text COLLATE "C",
    -- A callback goes here and is not charged to the definition's endpoint; null: to the definition's target.
    callback_url    text,
    site_id         integer NOT NULL,
    status          text NOT NULL DEFAULT 'PENDING'
                    CONSTRAINT delivery_status_ck CHECK (status IN ('PENDING', 'DELIVERED', 'DEAD', 'CANCELLED')),
    -- Which queue: first attempts do not stand behind retries and replays.
    lane            text NOT NULL DEFAULT 'first' CONSTRAINT delivery_lane_ck CHECK (lane IN ('first', 'again')),
    -- Over all rounds; a replay begins a new round of the schedule where round_start attempts had been made.
    attempts        integer NOT NULL DEFAULT 0,
    round_start     integer NOT NULL DEFAULT 0,
    -- When it is due; null: it has ended.
    next_attempt_at timestamptz DEFAULT now(),
    dispatch        integer NOT NULL DEFAULT 1,
    dispatched_at   timestamptz DEFAULT now(),
    -- Of the last attempt; null: no answer came.
    status_code     integer,
    created_at      timestamptz NOT NULL DEFAULT now(),
    completed_at    timestamptz,
    CONSTRAINT delivery_destination_ck CHECK (definition_id IS NOT NULL OR callback_url IS NOT NULL)
  ) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1,
          autovacuum_analyze_scale_factor = 0.02);
  CREATE UNIQUE INDEX delivery_definition_uq ON delivery (event_id, definition_id) WHERE callback_url IS NULL;
  CREATE UNIQUE INDEX delivery_callback_uq ON delivery (event_id, md5(callback_url)) WHERE callback_url IS NOT NULL;
  CREATE INDEX delivery_due_ix ON delivery (next_attempt_at) WHERE status = 'PENDING';
  CREATE INDEX delivery_pending_ix ON delivery (definition_id, next_attempt_at) WHERE status = 'PENDING';
  CREATE INDEX delivery_dead_ix ON delivery (definition_id, created_at, id) WHERE status = 'DEAD';

  -- One row an attempt; written in batches, never changed.
  CREATE TABLE delivery_attempt (
    delivery_id  text COLLATE "C" NOT NULL,
    attempt      integer NOT NULL,
    -- delivered, or the class of failure: http-status, time-out, dns, tls, refused, blocked, ...
    outcome      text NOT NULL,
    status_code  integer,
    error        text,
    duration_ms  integer NOT NULL,
    -- The beginning of the answer's body, for the definition's owner.
    response     text,
    triggered_at timestamptz NOT NULL,
    CONSTRAINT delivery_attempt_pk PRIMARY KEY (delivery_id, attempt)
  ) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
`;
