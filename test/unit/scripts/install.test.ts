/** Whether packages have to be installed before a command runs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/install.mjs', import.meta.url));

/** As npm writes it: the packages of a workspace that differ from those of the root are below the workspace. */
const LOCKED = {
  '': { name: 'clone' },
  'node_modules/@clone/tool': { resolved: 'packages/tool', link: true },
  'node_modules/thing': { version: '1.0.0' },
  'packages/tool': { version: '0.1.0' },
  'packages/tool/node_modules/thing': { version: '2.0.0' },
  'packages/tool/node_modules/for-another-system': { version: '1.0.0', optional: true },
};
const INSTALLED = ['node_modules/thing', 'packages/tool', 'packages/tool/node_modules/thing'];

describe('the installation of packages', () => {
  let clone: string;
  let installIsDue: (root: string) => boolean;
  before(async () => {
    ({ installIsDue } = (await import(SCRIPT)) as { installIsDue(root: string): boolean });
  });
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'longshore-install-'));
    write('package-lock.json', { packages: LOCKED });
    for (const path of INSTALLED) write(`${path}/package.json`, {});
    const found = Object.fromEntries(Object.entries(LOCKED).filter(([path]) => INSTALLED.includes(path)));
    write('node_modules/.package-lock.json', { packages: found });
    assert.equal(installIsDue(clone), false);
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  function write(name: string, content: object): void {
    const path = join(clone, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  }

  it('is not due again', () => {
    assert.equal(installIsDue(clone), false);
  });

  for (const folder of ['node_modules', 'packages/tool/node_modules', 'packages/tool/node_modules/thing']) {
    it(`is due when ${folder} was deleted`, () => {
      rmSync(join(clone, folder), { recursive: true });
      assert.equal(installIsDue(clone), true);
    });
  }

  it('is due when other packages are locked', () => {
    write('package-lock.json', { packages: { ...LOCKED, 'node_modules/thing': { version: '1.0.1' } } });
    assert.equal(installIsDue(clone), true);
  });
});
