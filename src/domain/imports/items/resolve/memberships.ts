/** The categories of alternate trees that rows put their items into. */
import type { Knex } from 'knex';
import { formatAlternatePath, NODE_ID, parseAlternatePath } from '../../../catalog/categories/alternate-path.js';
import { categoryKey } from '../../../catalog/categories/category-name.js';
import { parsePath } from '../../../catalog/categories/category-path.js';
import { type Differences, FIELD } from '../../../changes/model/item-change.js';
import { storable } from '../../../kernel/characters.js';
import { isId } from '../../../kernel/identifier.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ApplyItems } from '../item-batch.js';
import type { AlternateRef, ItemDraft } from '../read/item-draft.js';

/** What rows write, and the categories that it may mean. */
interface NamedCategory {
  readonly id: string;
  readonly nodeId: number;
  readonly names: readonly string[];
}

type Resolved = { readonly id: string } | { readonly code: RowProblem['code']; readonly message: string };

/**
 * The memberships of one chunk's rows. A row that names categories names all that its item is to be in; a row that names
 * none leaves them alone. Drafts have distinct SKUs.
 */
export class Memberships {
  readonly #written: { readonly sku: string; readonly ids: readonly string[] }[] = [];

  private constructor(
    readonly options: Pick<ApplyItems, 'siteId' | 'names'>,
    /** By what the rows wrote. */
    readonly resolved: ReadonlyMap<AlternateRef, Resolved>,
    /** SKU → ids of the categories that it is in, for the rows that name any. */
    readonly held: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Locks the categories, so that none of them is deleted or gets a child before the rows are written. */
  static async load(trx: Knex.Transaction, options: ApplyItems, drafts: readonly ItemDraft[]): Promise<Memberships> {
    const naming = drafts.filter(({ alternates }) => alternates !== undefined);
    const named = new Set(naming.flatMap(({ alternates = [] }) => alternates));
    const resolved = await resolve(trx, options.siteId, [...named]);
    const held = await loadHeld(
      trx,
      options.siteId,
      naming.map(({ sku }) => sku),
    );
    return new Memberships(options, resolved, held);
  }

  /** The problems of the categories that a row names. */
  check({ alternates = [] }: ItemDraft): RowProblem[] {
    return alternates.flatMap((named) => {
      const found = this.resolved.get(named);
      if (found === undefined || 'id' in found) return [];
      const { code, message } = found;
      return [{ code, column: this.options.names.alternates, message, value: String(named).slice(0, 200) }];
    });
  }

  /** Whether a row takes its item out of a category or puts it into one. */
  changes(draft: ItemDraft): boolean {
    if (draft.alternates === undefined) return false;
    const wanted = this.#wanted(draft);
    const held = this.held.get(draft.sku) ?? [];
    return wanted.length !== held.length || !wanted.every((id) => held.includes(id));
  }

  /** Records that a row is to be written. */
  record(draft: ItemDraft): void {
    if (this.changes(draft)) this.#written.push({ sku: draft.sku, ids: this.#wanted(draft) });
  }

  /** What a row changes of the memberships of an item that exists. */
  difference(draft: ItemDraft): Differences {
    if (!this.changes(draft)) return {};
    const [before, after] = [this.held.get(draft.sku) ?? [], this.#wanted(draft)].map((ids) => [...ids].sort());
    return {
      [FIELD.alternates]: {
        ...(before === undefined || before.length === 0 ? {} : { b: before }),
        ...(after === undefined || after.length === 0 ? {} : { a: after }),
      },
    };
  }

  async store(trx: Knex.Transaction): Promise<void> {
    if (this.#written.length === 0) return;
    const bindings = { siteId: this.options.siteId, rows: JSON.stringify(this.#written) };
    await trx.raw(REMOVE, bindings);
    await trx.raw(ADD, bindings);
  }

  #wanted({ alternates = [] }: ItemDraft): readonly string[] {
    const ids = alternates.flatMap((named) => {
      const found = this.resolved.get(named);
      return found !== undefined && 'id' in found ? [found.id] : [];
    });
    return [...new Set(ids)];
  }
}

/** Each item's rows are found by the index, whatever the statistics of the table say. */
const HELD = `CROSS JOIN LATERAL (
    SELECT ctid, category_id FROM category_item WHERE site_id = :siteId AND sku = row.sku COLLATE "C" OFFSET 0) AS held`;

const REMOVE = `
  DELETE FROM category_item WHERE ctid = ANY (ARRAY(
    SELECT held.ctid FROM jsonb_to_recordset(:rows::jsonb) AS row (sku text, ids jsonb) ${HELD}
    WHERE NOT jsonb_exists(row.ids, held.category_id)))`;

const ADD = `
  INSERT INTO category_item (category_id, site_id, sku)
  SELECT wanted.id, :siteId, row.sku FROM jsonb_to_recordset(:rows::jsonb) AS row (sku text, ids jsonb)
  CROSS JOIN LATERAL jsonb_array_elements_text(row.ids) AS wanted (id) ORDER BY wanted.id, row.sku COLLATE "C"
  ON CONFLICT ON CONSTRAINT category_item_pk DO NOTHING`;

async function loadHeld(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (skus.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { sku: string; ids: string[] }[] }>(
    `SELECT row.sku, array_agg(held.category_id) AS ids FROM jsonb_array_elements_text(:skus::jsonb) AS row (sku)
     ${HELD} GROUP BY row.sku`,
    { siteId, skus: JSON.stringify(skus) },
  );
  return new Map(rows.map(({ sku, ids }) => [sku, ids]));
}

async function resolve(
  trx: Knex.Transaction,
  siteId: number,
  named: readonly AlternateRef[],
): Promise<Map<AlternateRef, Resolved>> {
  if (named.length === 0) return new Map();
  const categories = await lockCategories(trx, siteId, named);
  const ids = categories.map(({ id }) => id);
  // A statement of its own, after the locks: a child that was committed while this waited for them counts.
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'SELECT DISTINCT parent_id AS id FROM category WHERE parent_id = ANY (?)',
    [ids],
  );
  const parents = new Set(rows.map(({ id }) => id));
  const byKey = new Map<string, NamedCategory>();
  for (const category of categories) {
    byKey.set(pathKey(category.names), category);
    byKey.set(String(category.nodeId), category);
    byKey.set(category.id, category);
  }
  return new Map(named.map((one) => [one, resolveRef(one, byKey, parents)]));
}

const HOW_TO_CREATE = 'POST /api-category/v1/category with the type ALTERNATE, or a CATEGORY_IMPORT file';

/** A number is always a node id, even where a category has it as its name. */
function resolveRef(
  ref: AlternateRef,
  byKey: ReadonlyMap<string, NamedCategory>,
  parents: ReadonlySet<string>,
): Resolved {
  const text = String(ref);
  const byPath = typeof ref === 'number' ? undefined : firstOf(parseAlternatePath(text), byKey);
  const byId = NODE_ID.test(text) || isId(text) ? byKey.get(text) : undefined;
  const found = byPath ?? byId;
  const shown = storable(text, 200);
  if (found === undefined) {
    const message =
      typeof ref === 'number'
        ? `there is no category with the node id ${shown} in an alternate tree: correct it, or create the category first (${HOW_TO_CREATE})`
        : `there is no category "${shown}" in an alternate tree: correct the path, or create it first (${HOW_TO_CREATE})`;
    return { code: 'NODE_NOT_FOUND', message };
  }
  if (byPath !== undefined && byId !== undefined && byPath !== byId) {
    const id = isId(text) ? 'id' : 'node id';
    const [node, named] = [byId, byPath].map(({ names }) => `"${formatAlternatePath(names)}"`);
    const message = `"${shown}" is the ${id} of ${node} and the name of another alternate category: write the path ${node} or ${named}`;
    return { code: 'NODE_NOT_FOUND', message };
  }
  if (parents.has(found.id)) {
    const message = `items belong to categories without subcategories; "${formatAlternatePath(found.names)}" has some: name a category below it`;
    return { code: 'NODE_NOT_LEAF', message };
  }
  return { id: found.id };
}

function firstOf(
  readings: ReturnType<typeof parseAlternatePath>,
  byKey: ReadonlyMap<string, NamedCategory>,
): NamedCategory | undefined {
  for (const names of readings) {
    const found = byKey.get(pathKey(names));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** SQL: the names of the categories from the root to `found`. */
export const NAMES_TO_FOUND = `ARRAY(
       SELECT above.name FROM category AS above
       WHERE above.site_id = found.site_id
         AND above.node_id = ANY (string_to_array(trim(BOTH '/' FROM found.path), '/')::integer[])
       ORDER BY above.depth)`;

async function lockCategories(
  trx: Knex.Transaction,
  siteId: number,
  named: readonly AlternateRef[],
): Promise<readonly NamedCategory[]> {
  const texts = named.filter((one) => typeof one === 'string');
  const nodeIds = named.filter((one) => NODE_ID.test(String(one))).map(Number);
  const names = new Set(texts.map((text) => categoryKey(parsePath(text).at(-1) ?? '')));
  const { rows } = await trx.raw<{ rows: NamedCategory[] }>(
    `SELECT found.id, found.node_id AS "nodeId", ${NAMES_TO_FOUND} AS names
     FROM category AS found
     WHERE site_id = ? AND tree = 'ALTERNATE'
       AND (node_id = ANY (?::bigint[]) OR name_key = ANY (?::text[]) OR id = ANY (?::text[]))
     ORDER BY found.id FOR SHARE OF found`,
    [siteId, nodeIds, [...names], texts.filter(isId)],
  );
  return rows;
}

/** The same for paths whose names are the same category names. */
export function pathKey(names: readonly string[]): string {
  return JSON.stringify(names.map(categoryKey));
}
