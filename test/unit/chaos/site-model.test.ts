import assert from 'node:assert/strict';
import { type ChaosRow, expectOf, type SiteState, type Work } from '../../chaos/site-model.js';

const BEFORE: SiteState = new Map([['a', { title: 'A', stock: '1' }]]);
const row = (sku: string, over: Partial<ChaosRow> = {}): ChaosRow => ({ sku, nodeName: 'Disk', ...over });
const upsert = (rows: readonly ChaosRow[], over: object = {}): Work => ({
  ...{ kind: 'import', form: 'csv', mode: 'upsert', onError: 'skip', validateOnly: false, rows },
  ...over,
});

describe('the model of a site', () => {
  it('creates, changes and leaves alone, and merges the values that a row names', () => {
    const rows = [row('a', { colour: 'red' }), row('b', { stock: 5 })];
    const { status, counts, after, events } = expectOf(upsert(rows), BEFORE, new Set());
    assert.deepEqual([status, counts], ['COMPLETED', { created: 1, updated: 1, unchanged: 0, failed: 0 }]);
    assert.deepEqual(after.get('a'), { title: 'A', stock: '1', colour: 'red' });
    assert.deepEqual(events, ['ITEM_CREATED b', 'ITEM_UPDATED a']);
    assert.equal(expectOf(upsert([row('a', { title: 'A' })]), BEFORE, new Set()).counts.unchanged, 1);
  });

  it('applies the last of several rows with one key, and of an insert the first', () => {
    const rows = [row('n', { title: 'first' }), row('n', { title: 'last' })];
    assert.equal(expectOf(upsert(rows), BEFORE, new Set()).after.get('n')?.title, 'last');
    const inserted = expectOf(upsert(rows, { mode: 'insert' }), BEFORE, new Set());
    assert.deepEqual([inserted.after.get('n')?.title, inserted.counts.failed], ['first', 1]);
  });

  it('writes nothing of an atomic job with a bad row, and nothing of a dry run', () => {
    const rows = [row('b'), row('c', { stock: 'many' }), row('d', { nodeName: 'Nowhere' })];
    const atomic = expectOf(upsert(rows, { onError: 'abort' }), BEFORE, new Set());
    assert.deepEqual([atomic.status, atomic.counts.created, atomic.counts.failed], ['REJECTED', 0, 2]);
    assert.deepEqual([...atomic.after], [...BEFORE]);
    const dry = expectOf(upsert(rows, { validateOnly: true }), BEFORE, new Set());
    assert.deepEqual([dry.status, dry.counts.created, dry.counts.failed], ['COMPLETED', 1, 2]);
    assert.deepEqual([dry.events, [...dry.after]], [[], [...BEFORE]]);
  });

  it('deletes what is there, and refuses an update of what is not', () => {
    const deleted = expectOf({ kind: 'delete', skus: ['a', 'z'] }, BEFORE, new Set());
    assert.deepEqual([deleted.status, deleted.counts.updated, deleted.after.size], ['COMPLETED_PARTIALLY', 1, 0]);
    assert.equal(expectOf(upsert([row('z')], { mode: 'update' }), BEFORE, new Set()).counts.failed, 1);
  });
});
