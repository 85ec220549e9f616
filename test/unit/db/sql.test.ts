import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinSql, numbered, sql, textArray } from '../../../db/sql.js';

describe('SQL made of pieces', () => {
  it('puts pieces in as they are and everything else as a literal', () => {
    const column = sql`i.sku`;
    assert.equal(
      sql`${column} = ${"it's"} AND n = ${-1} AND x IS ${null}`.text,
      "i.sku = 'it''s' AND n = (-1) AND x IS NULL",
    );
    assert.equal(joinSql([column, numbered('c', 3)], ', ').text, 'i.sku, c3');
    assert.equal(textArray([]).text, "'{}'::text[]");
    assert.equal(textArray(['a', "b'"]).text, "ARRAY['a', 'b''']::text[]");
  });

  it('lets no text out of its literal', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '\\', '"', '$', ';', '-', 'a', '\n') }), (text) => {
        const { text: written } = sql`${text}`;
        // Without escapes of two characters, no quote is left inside.
        const inside = written.trim().replace(/^E?'([\s\S]*)'$/, '$1');
        assert.ok(!inside.replace(/''|\\\\/g, '').match(/['\\]/), written);
      }),
    );
  });

  it('knows no numbers that SQL does not', () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => sql`${number}`, TypeError);
    assert.throws(() => numbered('c', 1.5), TypeError);
  });
});
