/** The first schema: accounts and access, the catalog, files, jobs and their chunks. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(ACCESS);
  await knex.raw(CATALOG);
  await knex.raw(FILES_AND_JOBS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE idempotency_key, job_error, job_chunk, job, file,
      category_item, item_unique_value, item, definition_snapshot, category_attribute, category, attribute_mapping,
      attribute, site, oauth_client, access_token, account CASCADE;
    DROP SEQUENCE item_row_no_seq, job_line_no_seq;
  `);
}

const ACCESS = `
  CREATE TABLE account (
    id          text COLLATE "C" CONSTRAINT account_pk PRIMARY KEY CONSTRAINT account_id_ck CHECK (id ~ '^[0-9a-f]{24}$'),
    name        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
  );

  -- Tokens are kept as SHA-256 digests only. account_id is null for operator tokens, which belong to no account.
  CREATE TABLE access_token (
    id          text COLLATE "C" CONSTRAINT access_token_pk PRIMARY KEY,
    digest      bytea NOT NULL CONSTRAINT access_token_digest_uq UNIQUE,
    account_id  text COLLATE "C" CONSTRAINT access_token_account_fk REFERENCES account (id) ON DELETE CASCADE,
    name        text NOT NULL,
    scopes      text[] NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz,
    revoked_at  timestamptz
  );
  CREATE INDEX access_token_expires_ix ON access_token (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE oauth_client (
    id            text COLLATE "C" CONSTRAINT oauth_client_pk PRIMARY KEY,
    secret_digest bytea NOT NULL,
    account_id    text COLLATE "C" NOT NULL CONSTRAINT oauth_client_account_fk REFERENCES account (id) ON DELETE CASCADE,
    name          text NOT NULL,
    scopes        text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    revoked_at    timestamptz
  );

  -- One data set: an account's stage. The small integer is what the big tables carry.
  CREATE TABLE site (
    id                  integer GENERATED ALWAYS AS IDENTITY CONSTRAINT site_pk PRIMARY KEY,
    account_id          text COLLATE "C" NOT NULL CONSTRAINT site_account_fk REFERENCES account (id) ON DELETE CASCADE,
    stage               text NOT NULL,
    -- Counted up by every change of an attribute, mapping, category or assignment, in that change's transaction.
    definitions_version bigint NOT NULL DEFAULT 1,
    -- The next category node id of this site.
    next_node_id        integer NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT site_account_stage_uq UNIQUE (account_id, stage)
  );
`;

const CATALOG = `
  CREATE TABLE attribute (
    id          text COLLATE "C" CONSTRAINT attribute_pk PRIMARY KEY,
    site_id     integer NOT NULL CONSTRAINT attribute_site_fk REFERENCES site (id) ON DELETE CASCADE,
    name        text NOT NULL,
    -- The name trimmed, NFC and case-folded: what uniqueness and look-ups go by.
    name_key    text COLLATE "C" NOT NULL,
    type        text NOT NULL,
    position    integer NOT NULL,
    -- Everything else of the definition (description, options, validation, ...), as the API shows it.
    definition  jsonb NOT NULL,
    serial_next bigint,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT attribute_name_uq UNIQUE (site_id, name_key)
  );

  CREATE TABLE attribute_mapping (
    site_id      integer NOT NULL CONSTRAINT attribute_mapping_site_fk REFERENCES site (id) ON DELETE CASCADE,
    mapping      text NOT NULL,
    attribute_id text COLLATE "C" NOT NULL CONSTRAINT attribute_mapping_attribute_fk REFERENCES attribute (id) ON DELETE CASCADE,
    required     boolean NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT attribute_mapping_pk PRIMARY KEY (site_id, mapping)
  );

  CREATE TABLE category (
    id          text COLLATE "C" CONSTRAINT category_pk PRIMARY KEY,
    site_id     integer NOT NULL CONSTRAINT category_site_fk REFERENCES site (id) ON DELETE CASCADE,
    node_id     integer NOT NULL,
    parent_id   text COLLATE "C" CONSTRAINT category_parent_fk REFERENCES category (id),
    tree        text NOT NULL CONSTRAINT category_tree_ck CHECK (tree IN ('PRIMARY', 'ALTERNATE')),
    name        text NOT NULL,
    name_key    text COLLATE "C" NOT NULL,
    -- The node ids from the root to this node: /1/5/9/
    path        text COLLATE "C" NOT NULL,
    depth       integer NOT NULL,
    sort_order  integer NOT NULL DEFAULT 0,
    active      boolean NOT NULL DEFAULT true,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT category_node_uq UNIQUE (site_id, node_id),
    CONSTRAINT category_sibling_uq UNIQUE (site_id, parent_id, name_key)
  );
  CREATE UNIQUE INDEX category_root_uq ON category (site_id, name_key) WHERE parent_id IS NULL;
  CREATE INDEX category_path_ix ON category (site_id, path);
  CREATE INDEX category_parent_ix ON category (parent_id);

  CREATE TABLE category_attribute (
    category_id  text COLLATE "C" NOT NULL CONSTRAINT category_attribute_category_fk REFERENCES category (id) ON DELETE CASCADE,
    attribute_id text COLLATE "C" NOT NULL CONSTRAINT category_attribute_attribute_fk REFERENCES attribute (id) ON DELETE CASCADE,
    mandatory    boolean NOT NULL DEFAULT false,
    position     integer NOT NULL,
    CONSTRAINT category_attribute_pk PRIMARY KEY (category_id, attribute_id)
  );
  CREATE INDEX category_attribute_attribute_ix ON category_attribute (attribute_id);

  -- A site's definitions as they stood at one version. A job takes the one that stands when it begins, whatever changes meanwhile.
  CREATE TABLE definition_snapshot (
    site_id    integer NOT NULL CONSTRAINT definition_snapshot_site_fk REFERENCES site (id) ON DELETE CASCADE,
    version    bigint NOT NULL,
    content    jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT definition_snapshot_pk PRIMARY KEY (site_id, version)
  );

  -- No foreign keys and one unique index: each costs ingest speed. Integrity is the pipeline's.
  CREATE SEQUENCE item_row_no_seq AS bigint CACHE 1000;
  CREATE TABLE item (
    site_id      integer NOT NULL,
    sku          text COLLATE "C" NOT NULL,
    -- With site_id this is the item's id (24 hex characters).
    row_no       bigint NOT NULL DEFAULT nextval('item_row_no_seq'),
    type         "char" NOT NULL DEFAULT 'I',
    status       "char" NOT NULL DEFAULT 'L',
    node_id      integer,
    parent_sku   text COLLATE "C",
    channels     integer[],
    attributes   jsonb NOT NULL,
    -- Hash of the source row, its header, options and definitions version. Equal: the row changes nothing. Null: unknown.
    source_hash  bigint,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT item_pk PRIMARY KEY (site_id, sku)
  );
  CREATE INDEX item_row_no_ix ON item USING brin (row_no) WITH (pages_per_range = 32);
  CREATE INDEX item_parent_ix ON item (site_id, parent_sku) WHERE parent_sku IS NOT NULL;

  CREATE TABLE item_unique_value (
    site_id      integer NOT NULL,
    attribute_id text COLLATE "C" NOT NULL,
    value_hash   bytea NOT NULL,
    sku          text COLLATE "C" NOT NULL,
    CONSTRAINT item_unique_value_pk PRIMARY KEY (site_id, attribute_id, value_hash)
  );
  CREATE INDEX item_unique_value_item_ix ON item_unique_value (site_id, sku);

  CREATE TABLE category_item (
    category_id text COLLATE "C" NOT NULL CONSTRAINT category_item_category_fk REFERENCES category (id) ON DELETE CASCADE,
    site_id     integer NOT NULL,
    sku         text COLLATE "C" NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT category_item_pk PRIMARY KEY (category_id, sku)
  );
  CREATE INDEX category_item_item_ix ON category_item (site_id, sku);
`;

const FILES_AND_JOBS = `
  CREATE TABLE file (
    id           text COLLATE "C" CONSTRAINT file_pk PRIMARY KEY,
    site_id      integer NOT NULL CONSTRAINT file_site_fk REFERENCES site (id) ON DELETE CASCADE,
    -- What the file is for: an import type, ERROR_FILE, or an export type.
    type         text NOT NULL,
    name         text NOT NULL,
    locale       text,
    -- AWAITING_UPLOAD, UPLOADED, EXPIRED, DELETED.
    status       text NOT NULL,
    storage_key  text,
    content_type text,
    bytes        bigint,
    job_id       text COLLATE "C",
    created_at   timestamptz NOT NULL DEFAULT now(),
    uploaded_at  timestamptz,
    expires_at   timestamptz
  );
  CREATE INDEX file_site_ix ON file (site_id, created_at);
  CREATE INDEX file_job_ix ON file (job_id);
  CREATE INDEX file_expiry_ix ON file (expires_at) WHERE status = 'AWAITING_UPLOAD';

  CREATE SEQUENCE job_line_no_seq AS bigint;
  CREATE TABLE job (
    id                  text COLLATE "C" CONSTRAINT job_pk PRIMARY KEY,
    site_id             integer NOT NULL CONSTRAINT job_site_fk REFERENCES site (id) ON DELETE CASCADE,
    account_id          text COLLATE "C" NOT NULL,
    -- What the client sees: ITEM_IMPORT, ITEM_BULK_INSERT, ATTRIBUTE_BULK, ...
    type                text NOT NULL,
    -- Which pipeline: attribute, item.
    kind                text NOT NULL,
    status              text NOT NULL,
    status_message      text,
    -- Machine-readable reason of REJECTED and FAILED.
    reason              text,
    -- The job's options, checked when it was accepted.
    options             jsonb NOT NULL,
    channel             integer,
    request_id          text,
    input_file_id       text COLLATE "C" CONSTRAINT job_input_file_fk REFERENCES file (id),
    error_file_id       text COLLATE "C" CONSTRAINT job_error_file_fk REFERENCES file (id),
    -- Place in the site's line, given when the input is complete. Null: not in line yet.
    line_no             bigint,
    -- Jobs that may run beside each other (inserts); all others have the site to themselves.
    shared              boolean NOT NULL,
    -- What is to be done next: plan, apply (the chunks are), finish. Null: nothing (ended, or awaiting its upload).
    step                text CONSTRAINT job_step_ck CHECK (step IN ('plan', 'apply', 'finish')),
    -- Counted up at each enqueue of a step; a step that carries another number is refused.
    dispatch            integer NOT NULL DEFAULT 0,
    -- When the step was (or should have been) enqueued. Null while parked in line behind other jobs.
    dispatched_at       timestamptz,
    attempts            integer NOT NULL DEFAULT 0,
    -- What PLAN found out: source, header, delimiter, reserved serials, waves.
    plan                jsonb,
    definitions_version bigint,
    total_count         integer,
    processed_count     integer NOT NULL DEFAULT 0,
    created_count       integer NOT NULL DEFAULT 0,
    updated_count       integer NOT NULL DEFAULT 0,
    unchanged_count     integer NOT NULL DEFAULT 0,
    error_count         integer NOT NULL DEFAULT 0,
    error_summary       jsonb,
    created_at          timestamptz NOT NULL DEFAULT now(),
    started_at          timestamptz,
    completed_at        timestamptz,
    updated_at          timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX job_line_ix ON job (site_id, line_no) WHERE completed_at IS NULL AND line_no IS NOT NULL;
  CREATE INDEX job_exclusive_line_ix ON job (site_id, line_no) WHERE completed_at IS NULL AND line_no IS NOT NULL AND NOT shared;
  CREATE INDEX job_running_ix ON job (site_id) WHERE completed_at IS NULL AND started_at IS NOT NULL;
  CREATE INDEX job_due_ix ON job (dispatched_at) WHERE completed_at IS NULL AND step IS NOT NULL;
  CREATE INDEX job_site_created_ix ON job (site_id, created_at, id);

  CREATE TABLE job_chunk (
    job_id          text COLLATE "C" NOT NULL CONSTRAINT job_chunk_job_fk REFERENCES job (id) ON DELETE CASCADE,
    idx             integer NOT NULL,
    wave            smallint NOT NULL DEFAULT 0,
    -- pending, dispatched, done, cancelled.
    status          text NOT NULL DEFAULT 'pending',
    dispatch        integer NOT NULL DEFAULT 0,
    dispatched_at   timestamptz,
    attempts        integer NOT NULL DEFAULT 0,
    first_row       integer NOT NULL,
    row_count       integer NOT NULL,
    byte_start      bigint,
    byte_end        bigint,
    -- The rows themselves, for work that came in a request body: a JSON text a line.
    input           text,
    -- Rows that lose to another row of the same key: [[row, standing row], ...].
    duplicates      jsonb,
    -- One letter a row, in row order: c created, u updated, n unchanged, e failed, d duplicate.
    outcomes        text,
    created_count   integer NOT NULL DEFAULT 0,
    updated_count   integer NOT NULL DEFAULT 0,
    unchanged_count integer NOT NULL DEFAULT 0,
    error_count     integer NOT NULL DEFAULT 0,
    done_at         timestamptz,
    CONSTRAINT job_chunk_pk PRIMARY KEY (job_id, idx)
  );
  -- Already dense JSON or short: compressing it costs more than it saves.
  ALTER TABLE job_chunk ALTER COLUMN input SET STORAGE EXTERNAL;
  CREATE INDEX job_chunk_due_ix ON job_chunk (dispatched_at) WHERE status = 'dispatched';

  CREATE TABLE job_error (
    job_id  text COLLATE "C" NOT NULL CONSTRAINT job_error_job_fk REFERENCES job (id) ON DELETE CASCADE,
    row_no  integer NOT NULL,
    seq     smallint NOT NULL,
    key     text,
    col     text,
    code    text NOT NULL,
    message text NOT NULL,
    value   text,
    CONSTRAINT job_error_pk PRIMARY KEY (job_id, row_no, seq)
  );

  CREATE TABLE idempotency_key (
    account_id  text COLLATE "C" NOT NULL CONSTRAINT idempotency_key_account_fk REFERENCES account (id) ON DELETE CASCADE,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    status      integer NOT NULL,
    body        jsonb NOT NULL,
    job_id      text COLLATE "C",
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_key_pk PRIMARY KEY (account_id, key)
  );
  CREATE INDEX idempotency_key_created_ix ON idempotency_key (created_at);
`;
