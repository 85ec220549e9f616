/** What a backup says of a disk that is full. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { causeOf } from '../../../src/admin/backup/private-files.js';
import { ConfigError } from '../../../src/config/config.js';

describe('a backup that finds no room', () => {
  it('names its folder, says that it is not complete, and what to do', async function () {
    if (process.platform !== 'linux') return this.skip();
    const full = await writeFile('/dev/full', 'x').catch((error: unknown) => error);
    const cause = causeOf(full, '/backups/today');
    assert.ok(cause instanceof ConfigError);
    assert.match(cause.message, /no room for the backup in \/backups\/today: it is not complete .*Delete it, and make/);
  });

  it('passes on every other cause', () => {
    const other = new Error('the database was migrated meanwhile');
    assert.equal(causeOf(other, '/backups/today'), other);
  });
});
