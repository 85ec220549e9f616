/** Sites like another, for loads that go to many: made behind the API, which would take a minute for two hundred. */
import type pg from 'pg';

export interface SiteCopies {
  readonly account: string;
  /** The stage that is copied. At least one job must have gone by its present definitions. */
  readonly from: string;
  /** The copies' stages are this and a number from 1. None of them may exist. */
  readonly prefix: string;
  readonly count: number;
}

export interface CopiedSite {
  readonly id: number;
  readonly stage: string;
}

/** An identifier of a copy: the first third of the original's (the second in which it was made) gives way to the site. */
const copied = (id: string) => `lpad(to_hex(copy.id), 8, '0') || substr(${id}, 9)`;

/** Copies attributes, primary categories, assignments and their snapshot; no items. @returns the copies in order */
export async function copySites(db: pg.Client, { account, from, prefix, count }: SiteCopies): Promise<CopiedSite[]> {
  const { rows: copies } = await db.query<CopiedSite>(
    `INSERT INTO site (account_id, stage, definitions_version, next_node_id)
     SELECT account_id, $3 || '-' || number, definitions_version, next_node_id
     FROM site, generate_series(1, $4::integer) AS number WHERE account_id = $1 AND stage = $2
     ORDER BY number RETURNING id, stage`,
    [account, from, prefix, count],
  );
  const parameters = [account, from, copies.map(({ id }) => id)];
  for (const statement of COPY_DEFINITIONS) await db.query(statement, parameters);
  return copies;
}

const ORIGINAL_AND_COPIES = `JOIN site AS original ON original.account_id = $1 AND original.stage = $2
  JOIN site AS copy ON copy.id = ANY ($3)`;

const COPY_DEFINITIONS = [
  `INSERT INTO attribute (id, site_id, name, name_key, type, position, definition, serial_next)
   SELECT ${copied('known.id')}, copy.id, known.name, name_key, type, position, definition, serial_next
   FROM attribute AS known ${ORIGINAL_AND_COPIES} WHERE known.site_id = original.id`,
  // Parents before children: each row is checked at the statement's end all the same.
  `INSERT INTO category (id, site_id, node_id, parent_id, tree, name, name_key, path, depth, sort_order, active)
   SELECT ${copied('known.id')}, copy.id, node_id, ${copied('parent_id')}, tree, name, name_key, path, depth, sort_order, active
   FROM category AS known ${ORIGINAL_AND_COPIES} WHERE known.site_id = original.id AND tree = 'PRIMARY'`,
  `INSERT INTO category_attribute (category_id, attribute_id, mandatory, position)
   SELECT ${copied('known.category_id')}, ${copied('known.attribute_id')}, mandatory, known.position
   FROM category_attribute AS known JOIN category ON category.id = known.category_id ${ORIGINAL_AND_COPIES}
   WHERE category.site_id = original.id AND category.tree = 'PRIMARY'`,
  `INSERT INTO definition_snapshot (site_id, version, content)
   SELECT copy.id, version,
     regexp_replace(content::text, '"[0-9a-f]{8}([0-9a-f]{16})"', '"' || lpad(to_hex(copy.id), 8, '0') || '\\1"', 'g')::jsonb
   FROM definition_snapshot AS known ${ORIGINAL_AND_COPIES}
   WHERE known.site_id = original.id AND known.version = original.definitions_version`,
];
