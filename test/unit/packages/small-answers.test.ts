/** What an assistant reads is small, whatever the catalog holds, and what is cut says so. */
import assert from 'node:assert/strict';
import fc from 'fast-check';

const SMALL = new URL('../../../../packages/mcp/dist/small.js', import.meta.url).href;
const MOST = 40_000;

interface Page {
  readonly rows: readonly object[];
  readonly next: string | undefined;
}

interface Small {
  fitted<T extends object>(value: T): T;
  smallPage(limit: number, fetch: (limit: number) => Promise<Page>): Promise<Page>;
}

describe('answers for assistants', () => {
  let small: Small;
  before(async () => {
    small = (await import(SMALL)) as Small;
  });

  const size = (value: unknown) => JSON.stringify(value).length;

  it('are small whatever is in them, and whole where they are small', () => {
    const text = fc.integer({ min: 0, max: 20_000 }).map((length) => 'ä"'.repeat(length));
    const leaf = fc.oneof(fc.jsonValue(), text);
    const wide = (of: fc.Arbitrary<unknown>) =>
      fc.tuple(fc.integer({ min: 0, max: 40 }), fc.boolean(), of).map(([count, isList, one]) => {
        const all = Array.from({ length: count }, () => one);
        return isList ? all : Object.fromEntries(all.map((each, index) => [`name ${index}`, each]));
      });
    const value = fc.oneof(leaf, wide(leaf), wide(wide(leaf)));
    fc.assert(
      fc.property(fc.record({ item: value, changes: fc.array(value, { maxLength: 3 }) }), (answer) => {
        const fitted = small.fitted(answer);
        assert.ok(size(fitted) <= MOST, `${size(answer)} became ${size(fitted)}`);
        assert.deepEqual(Object.keys(fitted), ['item', 'changes']);
      }),
      { numRuns: 50 },
    );
    const whole = { item: { text: 'x'.repeat(9_000), list: Array.from({ length: 400 }, (_, index) => index) } };
    assert.deepEqual(small.fitted(whole), whole);
  });

  it('say in its place what was cut', () => {
    const options = Array.from({ length: 9_000 }, (_, index) => `option ${index}`);
    const bundle = Array.from({ length: 9_000 }, (_, index) => ({ sku: `sku ${index}` }));
    const values = Object.fromEntries(options.map((name) => [name, 'x']));
    const text = `${'x'.repeat(9_999)}😀${'x'.repeat(50_000)}`;
    const cut = small.fitted({ options, bundle, values, text });
    assert.equal(cut.options.at(-1), `… (${9_000 - cut.options.length + 1} more)`);
    assert.deepEqual(cut.bundle.at(-1), { '…': `${9_000 - cut.bundle.length + 1} more` });
    assert.equal(cut.values['…'], `${9_000 - Object.keys(cut.values).length + 1} more`);
    assert.match(cut.text, /^x+… \(cut: 60001 characters in all\)$/);
    assert.ok(small.fitted({ text }).text.isWellFormed());
  });

  it('have fewer rows than wanted if these are large, and none is left out', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => ({
      index,
      text: 'y'.repeat(index % 3 === 0 ? 390 : 20),
      ...many(index),
    }));
    const asked: number[] = [];
    const seen: object[] = [];
    for (let after = 0; after < rows.length; ) {
      const page = await small.smallPage(50, async (limit) => {
        asked.push(limit);
        const end = Math.min(after + limit, rows.length);
        return { rows: rows.slice(after, end), next: end < rows.length ? String(end) : undefined };
      });
      assert.ok(size(page.rows) <= MOST && page.rows.length > 0);
      seen.push(...page.rows);
      after = page.next === undefined ? rows.length : Number(page.next);
    }
    assert.deepEqual(seen, rows);
    assert.ok(asked.some((limit) => limit < 50));
    const huge = await small.smallPage(50, async () => ({
      rows: [{ texts: many(9), more: [many(9), many(9)] }],
      next: 'on',
    }));
    assert.equal(huge.next, 'on');
  });

  /** Values of about 1,500 characters, or 8,000. */
  function many(index: number): Record<string, string> {
    const names = Array.from({ length: index % 10 === 9 ? 100 : 20 }, (_, at) => `attribute ${at}`);
    return Object.fromEntries(names.map((name) => [name, 'z'.repeat(60)]));
  }
});
