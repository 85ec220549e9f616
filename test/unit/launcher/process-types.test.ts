/** The Procfile, the scripts of package.json and the launcher start the same processes with the same settings. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, PROCESS_TYPES, type ProcessType } from '../../../src/launcher/process-types.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

describe('the processes', () => {
  it('are those of the Procfile, with their settings', async () => {
    const lines = Object.entries(PROCESS_TYPES).map(([name, type]) => `${name}: ${commandOf(type)}\n`);
    assert.equal(await readFile(join(REPOSITORY, 'Procfile'), 'utf8'), lines.join(''));
  });

  it('are started by the scripts of package.json with the same settings', async () => {
    const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
    const { release, web, worker } = PROCESS_TYPES;
    assert.deepEqual(
      [scripts.release, scripts.web, scripts.worker],
      [commandOf(release), commandOf(web), commandOf(worker)],
    );
  });

  it('are started nowhere else with settings of their own', async () => {
    const launcher = await readFile(join(REPOSITORY, 'src', 'launcher', 'node-process.ts'), 'utf8');
    assert.doesNotMatch(launcher, /MALLOC_|--max-semi-space-size/);
  });
});

function commandOf({ program, group, nodeFlags }: ProcessType): string {
  const settings = nodeFlags.length === 0 ? [] : Object.entries(ALLOCATOR).map(([name, value]) => `${name}=${value}`);
  return [...settings, 'node', ...nodeFlags, `dist/${program}`, ...(group === undefined ? [] : [group])].join(' ');
}
