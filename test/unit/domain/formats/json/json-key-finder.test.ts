import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonKeyFinder } from '../../../../../src/domain/formats/json/json-key-finder.js';
import { runsOf } from '../../../../support/models/property-runs.js';

function found(text: string): string | null {
  const finder = new JsonKeyFinder('sku');
  const bytes = Buffer.from(`before${text}after`);
  const end = bytes.length - 'after'.length;
  return finder.find(bytes, 'before'.length, end) ? bytes.toString('utf8', finder.start, finder.end) : null;
}

/** Objects in which the field comes at any depth, and as a value. */
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('sku', 'a', 'ü', '"', '\\', '{', '}', '', null, 7, true),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('sku', 'a', 's\\ku', 'b'), tie('node'), { maxKeys: 4 }),
  ),
}));

describe('the finder of keys in JSON', () => {
  it('answers what parsing answers, or leaves it to parsing', () => {
    fc.assert(
      fc.property(node, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const key = found(JSON.stringify(value, null, space));
        if (key === null) return;
        assert.equal(key, (value as { sku: unknown }).sku);
      }),
      { numRuns: runsOf(5_000) },
    );
  });

  it('finds the keys of plainly written objects', () => {
    for (const text of [
      '{"sku":"x"}',
      '{ "a" : {"sku":"y", "b":[{"sku":"z"}]}, "sku" : "x" } ',
      '{"a":"sku","b":["sku"],"sku":"x","c":7}',
    ]) {
      assert.equal(found(text), 'x', text);
    }
  });

  it('leaves all else to parsing', () => {
    for (const text of [
      ...['', '[]', '"sku"', '{}', '{"sku":7}', '{"sku":{"sku":"x"}}', '{"sku":"x","sku":"y"}', '{"s\\u006bu":"x"}'],
      ...['{"sku":"x\\n"}', '{"sku":"x', '{"sku":"x"', '{"sku"', '{"sku":', ' {"sku":"x"}', '[{"sku":"x"}]'],
      `{"sku":"x","a":${'['.repeat(9)}${']'.repeat(9)}}`,
    ]) {
      assert.equal(found(text), null, text);
    }
  });
});
