/** The command line and profiles: they are saved, shown and deleted, and files are imported by them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, type Run, run, signedIn } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ERP = {
  fileType: 'ITEM_IMPORT',
  format: { encoding: 'windows-1252', delimiter: ';' },
  columns: [
    { to: 'SKU', from: 'Artikelnummer', steps: [{ step: 'trim' }] },
    { to: 'Category Node', from: 'Warengruppe', steps: [{ step: 'path', separator: '>' }] },
  ],
};

describe('the command line, and profiles', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let place: Place;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    const { account, token } = await world.newShop();
    place = signedIn(folder.path, { baseUrl: world.api.url, account, token });
  });
  after(async () => {
    await world?.stop();
    folder?.remove();
  });

  const here = (...args: string[]): Promise<Run> => run(args, place);
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder.path, name), typeof content === 'string' ? content : JSON.stringify(content));

  it('saves a profile from a file, shows it as that file again, and makes a version of each change', async () => {
    const listed = await here('profiles', 'list');
    assert.match(listed.stdout, /^akeneo +ITEM_IMPORT .*comes with Longshore/m);
    assert.doesNotMatch(listed.stdout, /^ERP/m);
    write('erp.json', { name: 'ERP', profile: ERP });
    const saved = await here('profiles', 'save', 'erp.json');
    assert.equal(saved.code, 0, saved.stderr);
    assert.match(saved.stdout, /The profile ERP is saved, as version 1\./);
    const shown = await here('profiles', 'show', 'ERP', '-o', 'shown.json');
    assert.equal(shown.code, 0, shown.stderr);
    assert.match((await here('profiles', 'save', 'shown.json')).stdout, /as version 1\./, 'nothing was changed');
    const { profile } = JSON.parse(readFileSync(join(folder.path, 'shown.json'), 'utf8'));
    write('changed.json', { ...profile, unknownColumns: 'fail' });
    assert.match((await here('profiles', 'save', 'changed.json', '--name', 'erp')).stdout, /as version 2\./);
    const earlier = await here('profiles', 'show', 'ERP', '--profile-version', '1');
    assert.equal(JSON.parse(earlier.stdout).profile.unknownColumns, 'warn');
    assert.match((await here('profiles', 'list')).stdout, /^ERP +ITEM_IMPORT +2 /m);
  });

  it('lists the versions of a profile, and renames it with them', async () => {
    const versions = await here('profiles', 'versions', 'ERP');
    assert.match(versions.stdout, /^VERSION +MADE\n2 +\d{4}-\d\d-\d\dT.*Z\n1 +\d{4}-\d\d-\d\dT.*Z\n$/, versions.stderr);
    const renamed = await here('profiles', 'rename', 'ERP', 'ERP 2026');
    assert.match(renamed.stdout, /^The profile ERP is called ERP 2026 now\.$/m, renamed.stderr);
    assert.match((await here('profiles', 'show', 'ERP')).stderr, /ERP/);
    const kept = JSON.parse((await here('profiles', 'versions', 'erp 2026', '--json')).stdout);
    assert.deepEqual(
      kept.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    assert.match((await here('profiles', 'versions', 'akeneo')).stdout, /^1 +comes with Longshore$/m);
    assert.equal((await here('profiles', 'rename', 'ERP 2026', 'ERP')).code, 0);
    write('other.json', { name: 'Other', profile: ERP });
    assert.equal((await here('profiles', 'save', 'other.json')).code, 0);
    const taken = await here('profiles', 'rename', 'ERP', 'other');
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /Other|other/);
  });

  it('says what an export by a saved profile cannot write back', async () => {
    const columns = [
      { to: 'SKU', from: 'Nr' },
      { to: 'Category Node', constant: 'Hats' },
    ];
    write('hats.json', { name: 'hats', profile: { fileType: 'ITEM_IMPORT', columns } });
    const { code, stdout, stderr } = await here('profiles', 'save', 'hats.json');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /cannot write everything back:\nCOLUMN +STEP +WHY\nCategory Node +constant +\S/);
  });

  it('writes over no file that exists', async () => {
    write('mine.json', 'mine');
    const { code, stderr } = await here('profiles', 'show', 'ERP', '-o', 'mine.json');
    assert.equal(code, 1);
    assert.match(stderr, /mine\.json exists/);
    assert.equal(readFileSync(join(folder.path, 'mine.json'), 'utf8'), 'mine');
  });

  it('says what is wrong with a file that is no profile', async () => {
    write('text.json', 'columns: none');
    assert.match((await here('profiles', 'save', 'text.json')).stderr, /text\.json is no JSON/);
    write('list.json', []);
    assert.match((await here('profiles', 'save', 'list.json')).stderr, /holds no profile/);
    write('nameless.json', ERP);
    assert.match((await here('profiles', 'save', 'nameless.json')).stderr, /give --name/);
    const { code, stderr } = await here('profiles', 'save', 'missing.json');
    assert.equal(code, 1);
    assert.match(stderr, /missing\.json does not exist/);
  });

  it('deletes a profile', async () => {
    assert.match((await here('profiles', 'delete', 'ERP')).stdout, /The profile ERP is deleted/);
    const { code, stderr } = await here('profiles', 'show', 'ERP');
    assert.equal(code, 1);
    assert.match(stderr, /ERP/);
  });
});
