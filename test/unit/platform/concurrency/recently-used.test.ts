import assert from 'node:assert/strict';
import { RecentlyUsed } from '../../../../src/platform/concurrency/recently-used.js';

describe('what is kept as recently used', () => {
  const kept = (cache: RecentlyUsed<number>) => ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined);

  it('is what was used last, so many', () => {
    const cache = new RecentlyUsed<number>(2, 100);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    assert.deepEqual(kept(cache), ['a', 'c']);
  });

  it('is no more than may be kept by weight, and one whatever it weighs', () => {
    const cache = new RecentlyUsed<number>(10, 100);
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      cache.set(key, index);
      cache.weigh(key, 40);
    }
    assert.deepEqual(kept(cache), ['b', 'c']);
    cache.weigh('c', 500);
    assert.deepEqual(kept(cache), ['c']);
    cache.set('d', 4);
    assert.deepEqual(kept(cache), ['d'], 'the heavy one is the least recently used');
  });

  it('forgets weight with what it forgets', () => {
    const cache = new RecentlyUsed<number>(10, 100);
    cache.set('a', 1);
    cache.weigh('a', 90);
    cache.delete('a');
    cache.weigh('a', 90);
    cache.set('b', 2);
    cache.weigh('b', 90);
    cache.set('b', 3);
    cache.set('c', 3);
    cache.weigh('c', 90);
    assert.deepEqual(kept(cache), ['b', 'c']);
  });
});
