/**
 * The change log of definitions: triggers record each change of attributes, categories, assignments and mappings, whoever
 * makes it. And what the pruning of the change log needs.
 */
import type { Knex } from 'knex';

/** Later months are created long before they begin: see src/domain/changes/partitions.ts. */
const MONTHS_AHEAD = 3;

/** A table of definitions. In its expressions `r` is a row of it. */
interface Logged {
  readonly table: string;
  readonly kind: string;
  /** What never changes of a row. */
  readonly identity: readonly string[];
  /** What counts as a change of it. */
  readonly watched: readonly string[];
  readonly site: string;
  readonly key: string;
  readonly image: string;
}

const LOGGED: readonly Logged[] = [
  {
    table: 'attribute',
    kind: 'attribute',
    identity: ['id'],
    // Not the next serial number, which each import of items may raise.
    watched: ['name', 'type', 'position', 'definition'],
    site: 'r.site_id',
    key: 'r.id',
    image: `jsonb_build_object('name', r.name, 'type', r.type, 'position', r.position, 'definition', r.definition,
      'serialNext', r.serial_next, 'createdAt', r.created_at)`,
  },
  {
    table: 'category',
    kind: 'category',
    identity: ['id'],
    // Not the path, which follows from the parents.
    watched: ['parent_id', 'tree', 'name', 'sort_order', 'active'],
    site: 'r.site_id',
    key: 'r.id',
    image: `jsonb_build_object('nodeId', r.node_id, 'parentId', r.parent_id,
      'parentNodeId', (SELECT above.node_id FROM category AS above WHERE above.id = r.parent_id), 'tree', r.tree,
      'name', r.name, 'order', r.sort_order, 'active', r.active, 'createdAt', r.created_at)`,
  },
  {
    table: 'category_attribute',
    kind: 'assignment',
    identity: ['category_id', 'attribute_id'],
    watched: ['mandatory', 'position'],
    // One of both is still there: an assignment is deleted with its category, or with its attribute.
    site: `coalesce((SELECT site_id FROM category WHERE id = r.category_id),
      (SELECT site_id FROM attribute WHERE id = r.attribute_id))`,
    key: "r.category_id || '/' || r.attribute_id",
    image: `jsonb_build_object('categoryId', r.category_id,
      'nodeId', (SELECT holder.node_id FROM category AS holder WHERE holder.id = r.category_id),
      'attributeId', r.attribute_id, 'mandatory', r.mandatory, 'position', r.position)`,
  },
  {
    table: 'attribute_mapping',
    kind: 'mapping',
    identity: ['site_id', 'mapping'],
    watched: ['attribute_id', 'required'],
    site: 'r.site_id',
    key: 'r.mapping',
    image: "jsonb_build_object('attributeId', r.attribute_id, 'required', r.required)",
  },
];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- To drop a partition with a reference to another table would lock that table.
    ALTER TABLE change_set DROP CONSTRAINT change_set_site_fk;

    -- The last position of the changes that are no longer kept.
    ALTER TABLE change_feed ADD COLUMN pruned_position bigint NOT NULL DEFAULT 0;

    -- When its files and errors were deleted, of a job that is kept because its changes are.
    ALTER TABLE job ADD COLUMN pruned_at timestamptz;

    CREATE TABLE definition_change (
      set_id    bigint NOT NULL,
      -- The place in its set, from 1.
      n         integer NOT NULL,
      site_id   integer NOT NULL,
      at        timestamptz NOT NULL DEFAULT now(),
      -- attribute, category, assignment, mapping.
      kind      text NOT NULL,
      -- The id of the attribute or category; of an assignment both, of a mapping its name.
      key       text COLLATE "C" NOT NULL,
      -- C: created, U: updated, D: deleted.
      operation "char" NOT NULL,
      -- All that defines it. Null: there was none, or there is none.
      before    jsonb,
      after     jsonb
    ) PARTITION BY RANGE (at);
    CREATE INDEX definition_change_set_ix ON definition_change (set_id, n);

    DO $$
    DECLARE
      month timestamptz := date_trunc('month', now(), 'UTC') - interval '1 month';
      next timestamptz;
    BEGIN
      FOR nth IN 0..${MONTHS_AHEAD + 1} LOOP
        next := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
        EXECUTE format('CREATE TABLE definition_change_%s PARTITION OF definition_change FOR VALUES FROM (%L) TO (%L)',
          to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'), month, next);
        month := next;
      END LOOP;
    END $$;
  `);
  for (const logged of LOGGED) await knex.raw(logging(logged));
}

export async function down(knex: Knex): Promise<void> {
  for (const { table } of LOGGED) await knex.raw(`DROP FUNCTION log_${table}() CASCADE`);
  await knex.raw(`
    DROP TABLE definition_change;
    ALTER TABLE job DROP COLUMN pruned_at;
    ALTER TABLE change_feed DROP COLUMN pruned_position;
    ALTER TABLE change_set ADD CONSTRAINT change_set_site_fk FOREIGN KEY (site_id) REFERENCES site (id) ON DELETE CASCADE;
  `);
}

/** SQL: a function that records what a statement did to a table, and the triggers that call it. */
function logging({ table, kind, identity, watched, site, key, image }: Logged): string {
  const before = image.replaceAll(/\br\./g, 'o.');
  const columns = (alias: string) => watched.map((name) => `${alias}.${name}`).join(', ');
  const record = (rows: string) => `
      WITH changed AS MATERIALIZED (${rows}), sets AS (
        INSERT INTO change_set (site_id, job_id, actor)
        SELECT DISTINCT site, nullif(current_setting('longshore.job', true), ''),
          nullif(current_setting('longshore.actor', true), '')
        FROM changed WHERE site IS NOT NULL RETURNING id, site_id
      )
      INSERT INTO definition_change (set_id, n, site_id, kind, key, operation, before, after)
      SELECT sets.id, changed.nth, changed.site, '${kind}', changed.key, changed.operation, changed.before, changed.after
      FROM changed JOIN sets ON sets.site_id = changed.site;`;
  const one = (operation: string, b: string, a: string) =>
    `SELECT row_number() OVER () AS nth, ${site} AS site, ${key} AS key, '${operation}'::"char" AS operation,
          ${b} AS before, ${a} AS after`;
  return `
    CREATE FUNCTION log_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Rows of a backup come with their changes.
      IF current_setting('longshore.unlogged', true) = 'on' THEN RETURN NULL; END IF;
      IF TG_OP = 'INSERT' THEN ${record(`${one('C', 'NULL::jsonb', image)} FROM new_rows AS r`)}
      ELSIF TG_OP = 'DELETE' THEN ${record(`${one('D', image, 'NULL::jsonb')} FROM old_rows AS r`)}
      ELSE ${record(
        `${one('U', before, image)} FROM new_rows AS r JOIN old_rows AS o USING (${identity.join(', ')})
        WHERE (${columns('o')}) IS DISTINCT FROM (${columns('r')})`,
      )}
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${table}_created AFTER INSERT ON ${table} REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION log_${table}();
    CREATE TRIGGER ${table}_updated AFTER UPDATE ON ${table} REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION log_${table}();
    CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION log_${table}();
  `;
}
