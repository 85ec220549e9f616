import assert from 'node:assert/strict';
import { addressOf, newestTaken } from '../../../../src/domain/feeds/model/seen-file.js';
import type { Connection } from '../../../../src/platform/remote/remote-folder.js';

const S3: Connection = {
  ...{ kind: 's3', endpoint: null, region: 'eu-central-1', bucket: 'shop', prefix: 'in/', accessKeyId: 'AK' },
};
const SFTP: Connection = { kind: 'sftp', host: 'h', port: 22, user: 'u', path: 'in', hostKey: null };
const HTTPS: Connection = { kind: 'https', url: 'https://shop.example/items.csv' };
const AT = '2026-05-05T12:00:00.000Z';

function newestOf(connection: Connection, seenAt: Connection, seenBy = '*.csv') {
  const seen_file = { url: addressOf(seenAt), pattern: seenBy, name: 'a', bytes: 1, modifiedAt: AT, version: '1' };
  return newestTaken({ connection, pick: { pattern: '*.csv' }, seen_file })?.toISOString() ?? null;
}

describe('the file that a feed has taken last', () => {
  it('is one of the same folder, in whichever order its members stand, and whether its key is kept or not', () => {
    for (const connection of [S3, SFTP]) {
      const turned = Object.fromEntries(Object.entries(connection).reverse()) as Connection;
      assert.equal(newestOf(connection, turned), AT, connection.kind);
    }
    assert.equal(newestOf({ ...SFTP, hostKey: 'SHA256:x' }, SFTP), AT);
    assert.equal(newestOf({ ...SFTP, path: 'out' }, SFTP), null);
    assert.equal(newestOf({ ...S3, prefix: 'out/' }, S3), null);
  });

  it('is one of the same names', () => {
    assert.equal(newestOf(S3, S3, '*'), null);
  });

  it('keeps no older one from being taken behind https, where there is one only', () => {
    assert.equal(newestOf(HTTPS, HTTPS), null);
  });
});
