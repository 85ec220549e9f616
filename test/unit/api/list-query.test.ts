/** Query parameters of lists. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { numberList, pageParameters, refuseReversedTimes, textList } from '../../../src/api/list-query.js';

const page = z.object(pageParameters);

describe('page parameters', () => {
  it('default to the first ten', () => {
    assert.deepEqual(page.parse({}), { offset: 0, limit: 10 });
    assert.deepEqual(page.parse({ offset: '20', limit: '100' }), { offset: 20, limit: 100 });
  });

  for (const bad of ['0', '101', '-1', '1.5', '1e1', '0x10', ' 5', '', 'ten', ['1', '2']]) {
    it(`refuse limit=${JSON.stringify(bad)}`, () => {
      assert.equal(page.safeParse({ limit: bad }).success, false);
    });
  }

  it('refuse an offset that is no count', () => {
    for (const bad of ['-1', 'x', '99999999999']) assert.equal(page.safeParse({ offset: bad }).success, false);
  });
});

describe('lists of values', () => {
  it('are separated by commas, or the parameter is repeated', () => {
    assert.deepEqual(textList.parse('A-1, B-2'), ['A-1', 'B-2']);
    assert.deepEqual(textList.parse(['A-1', 'B-2,C-3']), ['A-1', 'B-2', 'C-3']);
  });

  it('take an escaped comma as part of a value', () => {
    assert.deepEqual(textList.parse('A\\,1,B'), ['A,1', 'B']);
  });

  it('refuse what cannot be stored, and too many', () => {
    assert.equal(textList.safeParse('a\u0000b').success, false);
    assert.equal(textList.safeParse('sku-00000001,'.repeat(1000)).success, true);
    assert.equal(textList.safeParse(Array.from({ length: 1001 }, (_, index) => `v${index}`)).success, false);
  });

  it('of numbers take digits only', () => {
    assert.deepEqual(numberList.parse('1,2'), [1, 2]);
    assert.equal(numberList.safeParse('1,x').success, false);
  });
});

describe('times between which a list lies', () => {
  const times = { since: z.iso.datetime().optional(), until: z.iso.datetime().optional() };
  const span = z.object(times).superRefine(refuseReversedTimes);
  const paths = (given: object) => span.safeParse(given).error?.issues.map(({ path }) => path.join('.')) ?? [];
  const [before, after] = ['2026-01-31T09:30:00Z', '2026-01-31T09:30:01Z'];

  it('are refused in the wrong order only', () => {
    assert.deepEqual(paths({ since: before, until: after }), []);
    assert.deepEqual(paths({ since: before, until: before }), []);
    assert.deepEqual(paths({ since: after, until: before }), ['since']);
  });

  it('are named where they are no times, whatever the other is', () => {
    for (const wrong of ['yesterday', '2016-12-31T23:59:60Z', '']) {
      assert.deepEqual(paths({ since: before, until: wrong }), ['until']);
      assert.deepEqual(paths({ since: wrong, until: before }), ['since']);
      assert.deepEqual(paths({ since: wrong, until: wrong }), ['since', 'until']);
    }
  });
});
