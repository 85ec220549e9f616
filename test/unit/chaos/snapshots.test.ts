import assert from 'node:assert/strict';
import { contradictionOf, type HistoryStep } from '../../chaos/audit/snapshots.js';
import type { ModelItem, SiteState } from '../../chaos/site-model.js';

/** The first job writes a to d in two chunks, the second changes them in two others, the third deletes a. */
const HISTORY: readonly HistoryStep[] = [
  step({ a: '1', b: '1', c: '1', d: '1' }, ['a', 'b'], ['c', 'd']),
  step({ a: '2', b: '2', c: '2', d: '1' }, ['a', 'c'], ['b', 'd']),
  step({ b: '2', c: '2', d: '1' }, ['a']),
];

describe('what an export may show', () => {
  it('is the site after any number of whole jobs', () => {
    for (const seen of [{}, ...HISTORY.map(({ after }) => Object.fromEntries(titles(after)))]) {
      assert.equal(contradictionOf(state(seen), HISTORY, 0), undefined);
    }
  });

  it('is any whole chunks of the job that is under way', () => {
    assert.equal(contradictionOf(state({ c: '1', d: '1' }), HISTORY, 0), undefined);
    assert.equal(contradictionOf(state({ a: '1', b: '2', c: '1', d: '1' }), HISTORY, 0), undefined);
  });

  it('is no part of a chunk', () => {
    const wrong = contradictionOf(state({ a: '2', b: '1', c: '1', d: '1' }), HISTORY, 0);
    assert.match(wrong ?? '', /of chunk 0, 1 of 2 rows are there/);
  });

  it('is no job without the job before it', () => {
    assert.match(contradictionOf(state({ c: '2' }), HISTORY, 0) ?? '', /c is /);
    assert.match(contradictionOf(state({ a: '1', b: '1', c: '1' }), HISTORY, 0) ?? '', /1 of 2 rows/);
  });

  it('is no value that no job wrote', () => {
    assert.match(contradictionOf(state({ a: '1', b: '1', c: '1', d: '3' }), HISTORY, 0) ?? '', /d is {"title":"3"}/);
  });

  it('lacks no job that had ended before it was requested', () => {
    assert.equal(contradictionOf(state({ a: '1', b: '1', c: '1', d: '1' }), HISTORY, 1), undefined);
    assert.match(contradictionOf(state({ a: '1', b: '1', c: '1', d: '1' }), HISTORY, 2) ?? '', /after 2 jobs/);
  });
});

function step(after: Readonly<Record<string, string>>, ...chunks: readonly (readonly string[])[]): HistoryStep {
  return { after: state(after), chunks };
}

function state(titled: Readonly<Record<string, string>>): SiteState {
  return new Map(Object.entries(titled).map(([sku, title]): [string, ModelItem] => [sku, { title }]));
}

function titles(after: SiteState): [string, string][] {
  return [...after].map(([sku, { title }]) => [sku, title ?? '']);
}
