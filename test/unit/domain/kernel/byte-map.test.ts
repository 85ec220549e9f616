import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ByteMap } from '../../../../src/domain/kernel/byte-map.js';

describe('a map of bytes', () => {
  const texts = Array.from({ length: 200_000 }, (_, index) => createHash('md5').update(String(index)).digest('base64'));
  const set = (map: ByteMap<string>, text: string, value = text) => {
    const bytes = Buffer.from(text);
    map.set(bytes, 0, bytes.length, value);
  };
  const get = (map: ByteMap<string>, text: string) => {
    const bytes = Buffer.from(`;${text};`);
    return map.get(bytes, 1, bytes.length - 1);
  };

  it('finds in a buffer what was set, and nothing else', () => {
    const map = new ByteMap<string>();
    assert.equal(get(map, 'a'), undefined);
    const some = ['', 'a', 'ab', 'grün', ...texts.slice(0, 1_000)];
    for (const text of some) set(map, text);
    for (const text of some) assert.equal(get(map, text), text);
    for (const text of ['b', 'abc', 'gruen', 'key']) assert.equal(get(map, text), undefined);
    assert.equal(map.size, some.length);
    set(map, 'a', 'another');
    assert.equal(get(map, 'a'), 'another');
    assert.equal(map.size, some.length);
  });

  it('keeps the first of two keys with the same hash, however often the other one is set', () => {
    const map = new ByteMap<string>();
    const other = texts.find((text) => {
      const before = map.size;
      set(map, text);
      return map.size === before;
    });
    assert.ok(other !== undefined, 'of 200,000 keys, two have the same hash of 32 bits');
    assert.equal(get(map, other), undefined);
    set(map, other);
    assert.equal(get(map, other), undefined);
    for (const text of texts.slice(0, 1_000)) assert.equal(get(map, text), text);
  });
});
