import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ItemRules } from '../../../../../src/domain/imports/items/item-rules.js';
import { bytesOfRules, KeptRules } from '../../../../../src/domain/imports/items/kept-rules.js';
import { rulesOf } from './rules-fixture.js';

const MANY_BYTES = 20 * 1024 * 1024;

describe('the rules that a process keeps', () => {
  const kept = (rules: KeptRules<string>, site: string) =>
    [1, 2, 3].filter((version) => rules.get(site, version) !== undefined);

  it('are those of the two versions of a site that were used last', () => {
    const rules = new KeptRules<string>();
    for (const version of [1, 2]) rules.keep('a', version, 'rules', 1);
    rules.keep('b', 1, 'rules', 1);
    assert.equal(rules.get('a', 1), 'rules');
    rules.keep('a', 3, 'rules', 1);
    assert.deepEqual(kept(rules, 'a'), [1, 3]);
    assert.deepEqual(kept(rules, 'b'), [1]);
    rules.forget('a', 3);
    assert.deepEqual(kept(rules, 'a'), [1]);
  });

  it('are those of the sites that were used last, as far as their bytes allow', () => {
    const rules = new KeptRules<string>();
    for (const site of ['a', 'b', 'c']) rules.keep(site, 1, 'rules', MANY_BYTES);
    assert.deepEqual(
      ['a', 'b', 'c'].map((site) => kept(rules, site).length),
      [0, 1, 1],
    );
    rules.keep('c', 2, 'rules', MANY_BYTES);
    assert.deepEqual(
      ['b', 'c'].map((site) => kept(rules, site).length),
      [0, 2],
      'both versions of a site count',
    );
  });

  const names = (count: number, of: string) => Array.from({ length: count }, (_, index) => `${of} ${index} of many`);
  const SHAPES: Readonly<Record<string, () => ItemRules>> = {
    'long lists of options': () => {
      const attributes = names(10, 'choice').map((name) => {
        return { name, type: 'OPTIONS' as const, options: names(2_000, 'option') };
      });
      return rulesOf({ attributes, categories: { Leaf: [] } });
    },
    'many attributes': () =>
      rulesOf({ attributes: names(2_000, 'text').map((name) => ({ name })), categories: { Leaf: [] } }),
    'many categories': () =>
      rulesOf({ attributes: [], categories: Object.fromEntries(names(3_000, 'leaf').map((name) => [name, []])) }),
  };

  for (const [what, make] of Object.entries(SHAPES)) {
    it(`weigh what they take: those of ${what}`, () => {
      // What is compiled once for all of them does not count.
      use(make());
      const before = heldBytes();
      const rules = make();
      use(rules);
      const grown = heldBytes() - before;
      const weighed = bytesOfRules(rules.definitions);
      assert.ok(grown < 1.25 * weighed, `they take ${grown} bytes, and are thought to take ${weighed}`);
    });
  }
});

/** Reads a value of each attribute in both ways, and looks up each category. */
function use(rules: ItemRules): void {
  const target = Buffer.alloc(1_000);
  for (const [position, { fromJson, fromText, definition }] of rules.attributes.entries()) {
    const value = definition.options?.at(-1) ?? 'x';
    fromJson(value);
    fromText(value);
    const bytes = Buffer.from(value);
    rules.byteEncoder(position)?.(bytes, 0, bytes.length, target, 0);
    rules.positionOf(definition.name);
  }
  for (const { nodeId, name } of rules.definitions.categories) {
    rules.ofCategory(nodeId);
    rules.categories.resolve(name);
  }
}

/** What is left when everything is collected that nobody holds. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
