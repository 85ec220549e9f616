/** What the command line writes to a disk that is full: the file is named, and nothing of it is left. */
import assert from 'node:assert/strict';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeOpenFolder } from '../../support/worlds/open-folder.js';

const WRITER = new URL('../../../../packages/cli/dist/write-file.js', import.meta.url).href;

describe('a file that the command line writes', () => {
  it('is named when the disk is full, and nothing of it is left', async function () {
    if (process.platform !== 'linux') return this.skip();
    const { writeFile } = (await import(WRITER)) as { writeFile(path: string, response: Response): Promise<void> };
    const folder = makeOpenFolder();
    try {
      const path = join(folder.path, 'items.csv');
      symlinkSync('/dev/full', `${path}.part`);
      await assert.rejects(writeFile(path, new Response('SKU\nA\n')), { code: 'ENOSPC', path });
      assert.deepEqual(readdirSync(folder.path), []);
    } finally {
      folder.remove();
    }
  });
});
