/** Random sequences of category operations leave the trees that a model of a few lines leaves. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Db } from '../../../db/connection.js';
import type { Category } from '../../../db/models/category.js';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { categoryKey } from '../../../src/domain/catalog/categories/category-name.js';
import { formatPath } from '../../../src/domain/catalog/categories/category-path.js';
import { createCategory } from '../../../src/domain/catalog/categories/create-category.js';
import { deleteCategory } from '../../../src/domain/catalog/categories/delete-category.js';
import { parseCategoryInput } from '../../../src/domain/catalog/categories/parse-category-input.js';
import { updateCategory } from '../../../src/domain/catalog/categories/update-category.js';
import { applyCategoryRows } from '../../../src/domain/imports/categories/apply-category-rows.js';
import { JSON_NAMES } from '../../../src/domain/imports/categories/category-row-names.js';
import { PlacedRows } from '../../../src/domain/imports/categories/placed-rows.js';
import { DomainError } from '../../../src/domain/kernel/errors.js';
import { CategoryModel, type ModelNode } from '../../support/models/category-model.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { addItems } from '../../support/worlds/catalog-rows.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const NAMES = ['Disk', 'disk', 'Tape', 'a->b', 'PRIMARY', 'Straße'];

interface Step {
  readonly act: 'create' | 'createAlternate' | 'import' | 'rename' | 'move' | 'delete' | 'fill' | 'empty';
  /** Taken modulo the categories there are. */
  readonly one: number;
  readonly other: number;
  readonly name: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(
    'create',
    'create',
    'create',
    'createAlternate',
    'import',
    'import',
    'rename',
    'move',
    'move',
    'delete',
    'fill',
    'empty',
  ),
  one: fc.nat(1000),
  other: fc.nat(1000),
  name: fc.constantFrom(...NAMES),
});

/** A site beside its model. */
class Trial {
  readonly model = new CategoryModel();
  /** The rows of the model's categories, by label. */
  readonly ids = new Map<number, { id: string; nodeId: number }>();

  constructor(
    readonly db: Db,
    readonly siteId: number,
    readonly accountId: string,
  ) {}

  async run(given: Step): Promise<void> {
    const { model, db, siteId } = this;
    const [one, other] = [this.#pick(given.one), this.#pick(given.other)];
    switch (given.act) {
      case 'create':
      case 'createAlternate': {
        const tree = given.act === 'create' ? 'PRIMARY' : 'ALTERNATE';
        const parent = given.act === 'create' ? one : null;
        const expected = model.create(parent, tree, given.name);
        const input = { name: given.name, active: true, order: 0, tree } as const;
        const made = await outcome(createCategory(db, siteId, { ...input, parent: parent && this.#reference(parent) }));
        if (typeof expected === 'string') assert.equal(made, expected);
        else this.#note(expected, made);
        return;
      }
      case 'import':
        return this.#import(one, given.name);
      case 'rename':
        return this.#expect(model.rename(one, given.name), updateCategory(db, siteId, this.#reference(one), given));
      case 'move': {
        const parent = this.#reference(other);
        return this.#expect(model.move(one, other), updateCategory(db, siteId, this.#reference(one), { parent }));
      }
      case 'delete':
        return this.#expect(
          model.delete(one),
          deleteCategory(db, this.#owner(), this.#reference(one)).then(({ category }) => category),
        );
      case 'fill':
        return this.#fill(one);
      case 'empty':
        one.holdsItem = false;
        await db('item')
          .where({ site_id: siteId, sku: `P${one.label}` })
          .delete();
        await db('category_item')
          .where({ category_id: this.#known(one).id })
          .delete();
    }
  }

  #owner() {
    return { siteId: this.siteId, accountId: this.accountId, channel: null };
  }

  async prepare(): Promise<this> {
    // The first category brings the root with it.
    const { node_id } = await createCategory(this.db, this.siteId, {
      name: 'first',
      active: true,
      order: 0,
      parent: null,
      tree: 'PRIMARY',
    });
    await deleteCategory(this.db, this.#owner(), { nodeId: node_id });
    const root = await this.db('category').where({ site_id: this.siteId }).first();
    this.ids.set(this.model.root.label, { id: root.id, nodeId: root.node_id });
    return this;
  }

  async check(): Promise<void> {
    const rows: Category[] = await this.db('category').where({ site_id: this.siteId });
    const byId = new Map(rows.map((row) => [row.id, row]));
    assert.equal(rows.length, this.model.nodes.length);
    for (const node of this.model.nodes) {
      const row = byId.get(this.#known(node).id);
      const lineage = this.model.lineage(node);
      const path = `/${lineage.map((above) => this.#known(above).nodeId).join('/')}/`;
      const parentId = node.parent === null ? null : this.#known(node.parent).id;
      assert.deepEqual(
        [row?.name, row?.tree, row?.parent_id, row?.path, row?.depth],
        [node.name, node.tree, parentId, path, lineage.length - 1],
      );
      if (node.holdsItem) assert.ok(this.model.isLeaf(node), 'items lie in leaves');
    }
  }

  /** A child of a category by a row of an import, and a row for the category itself after it. */
  async #import(parent: ModelNode, name: string): Promise<void> {
    const { model, db, siteId } = this;
    const lineage = model.lineage(parent).map((node) => node.name);
    const twin = model.childrenOf(parent).find((node) => categoryKey(node.name) === categoryKey(name));
    const expected = twin ?? model.create(parent, parent.tree, name);
    const planted = new PlacedRows();
    const paths = [[...lineage, name], lineage];
    paths.forEach((names, index) => {
      const element = { path: formatPath(names), type: parent.tree };
      planted.add({ row: index + 1, key: null, outcome: parseCategoryInput(element) });
    });
    const { outcomes, failures } = await db.transaction((trx) =>
      applyCategoryRows(trx, siteId, planted, { mode: 'upsert', names: JSON_NAMES }),
    );
    const made = typeof expected === 'string' ? 'e' : twin === undefined ? 'c' : 'n';
    assert.deepEqual(outcomes, [made, 'n']);
    if (typeof expected === 'string') assert.equal(failures[0]?.problems[0]?.code, expected);
    if (made !== 'c' || typeof expected === 'string') return;
    const row = await db('category')
      .where({ parent_id: this.#known(parent).id, name })
      .first();
    this.ids.set(expected.label, { id: row.id, nodeId: row.node_id });
  }

  async #fill(node: ModelNode): Promise<void> {
    if (!this.model.isLeaf(node) || node.holdsItem) return;
    node.holdsItem = true;
    const { id, nodeId } = this.#known(node);
    if (node.tree === 'PRIMARY') return addItems(this.db, this.siteId, [{ sku: `P${node.label}`, node_id: nodeId }]);
    await this.db('category_item').insert({ category_id: id, site_id: this.siteId, sku: 'any' });
  }

  async #expect(expected: string | null, done: Promise<Category>): Promise<void> {
    const made = await outcome(done);
    assert.equal(typeof made === 'string' ? made : null, expected);
  }

  #note(node: ModelNode, made: Category | string): void {
    assert.ok(typeof made !== 'string', `refused with ${made}`);
    this.ids.set(node.label, { id: made.id, nodeId: made.node_id });
  }

  #pick(index: number): ModelNode {
    return this.model.nodes[index % this.model.nodes.length] ?? this.model.root;
  }

  #reference(node: ModelNode): { nodeId: number } {
    return { nodeId: this.#known(node).nodeId };
  }

  #known(node: ModelNode): { id: string; nodeId: number } {
    const known = this.ids.get(node.label);
    assert.ok(known);
    return known;
  }
}

/** The row, or the code of the refusal. */
async function outcome(done: Promise<Category>): Promise<Category | string> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe('categories under random operations', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());

  it('keep paths, depths and the leaf rule', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const { id } = await createAccount(api.db, { name: 'test' });
        const trial = await new Trial(api.db, await resolveSite(api.db, id, 'production'), id).prepare();
        for (const one of steps) await trial.run(one);
        await trial.check();
        await assertDefinitionsAddUp(api.db, trial.siteId);
      }),
      { numRuns: 15 },
    );
  });
});
