import assert from 'node:assert/strict';
import fc from 'fast-check';
import { writeAnswer } from '../../../src/api/write-answer.js';
import { OpaqueJson, writeJson } from '../../../src/domain/kernel/opaque-json.js';

const text = async (body: unknown) => String(await writeAnswer(body));

describe('the JSON of an answer', () => {
  it('is the same whether lists are short or long, for any value', async () => {
    const lists = fc.array(fc.jsonValue(), { minLength: 0, maxLength: 3 });
    const bodies = fc.tuple(lists, fc.integer({ min: 1, max: 250 }), fc.jsonValue()).map(([few, times, other]) => {
      const many = Array.from({ length: times }, () => few).flat();
      return { other, many, left: undefined, deep: { many, other }, deeper: { still: { many } } };
    });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        assert.equal(await text(body), writeJson(body));
        assert.equal(await text(body.many), writeJson(body.many));
      }),
      { numRuns: 50 },
    );
  });

  it('keeps numbers that came as texts, dates, and elements that are undefined', async () => {
    const element = { exact: new OpaqueJson('1.10'), at: new Date(0), none: undefined, text: 'ü €😀' };
    const body = { data: Array.from({ length: 1_000 }, () => element), at: new Date(0), none: [undefined] };
    assert.equal(await text(body), writeJson(body));
    const gaps = Array.from({ length: 300 }, () => undefined);
    assert.equal(await text(gaps), JSON.stringify(gaps));
  });

  it('lets others have their turn while it writes a long list', async () => {
    const errors = Array.from({ length: 200_000 }, (_, index) => ({ index, code: 'X', message: 'x'.repeat(100) }));
    let longest = 0;
    let at = performance.now();
    const ticking = setInterval(() => {
      longest = Math.max(longest, performance.now() - at);
      at = performance.now();
    }, 1);
    let turns = 0;
    const counted = setInterval(() => turns++, 0);
    await writeAnswer({ errors });
    clearInterval(ticking);
    clearInterval(counted);
    assert.ok(turns > 10, `the event loop had ${turns} turns, the longest of ${longest} ms`);
  });
});
