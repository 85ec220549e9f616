/** The sum that takes the place of the one of a package in the bundles. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const REPOSITORY = new URL('../../../../', import.meta.url);

describe('the sum of archives', () => {
  it('is computed natively, in one piece or in several', async () => {
    const { unsigned } = await import(new URL('scripts/native-crc32.mjs', REPOSITORY).href);
    const sum = unsigned(Buffer.from('123456789'));
    assert.deepEqual([sum, crc32('123456789')], [0xcbf43926, 0xcbf43926]);
    assert.equal(unsigned(Buffer.from('56789'), unsigned(Buffer.from('1234'))), sum);
  });

  it('is the only one in the bundles', () => {
    const folder = new URL('dist/app/shared/', REPOSITORY);
    const bundles = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const texts = bundles.map((name) => readFileSync(new URL(name, folder), 'utf8'));
    assert.equal(texts.filter((text) => text.includes('scripts/native-crc32.mjs')).length, 1);
    assert.ok(texts.every((text) => !text.includes('node_modules/buffer-crc32')));
  });
});
