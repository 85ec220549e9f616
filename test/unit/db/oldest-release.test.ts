/** The names of releases: their order, and that the packages and the changelog agree on them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isBefore } from '../../../db/oldest-release.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');
const versionOf = (path: string) => (JSON.parse(read(path)) as { version: string }).version;

describe('the version of a release', () => {
  it('is ordered by its numbers, not by its text', () => {
    const inOrder = ['0.1.0', '0.1.1', '0.2.0', '0.10.0', '1.0.0', '1.0.10'];
    for (const [at, version] of inOrder.entries()) {
      assert.ok(!isBefore(version, version), version);
      for (const later of inOrder.slice(at + 1)) {
        assert.ok(isBefore(version, later), `${version} is before ${later}`);
        assert.ok(!isBefore(later, version), `${later} is not before ${version}`);
      }
    }
    assert.ok(!isBefore('0.2.0-rc.1', '0.2.0'), 'what follows the numbers does not count');
  });

  it('is the same in all packages, and that of the first section of the changelog', () => {
    const version = versionOf('package.json');
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(versionOf('packages/client/package.json'), version);
    assert.equal(versionOf('packages/mcp/package.json'), version);
    assert.equal(versionOf('packages/cli/package.json'), version);
    const [, title = ''] = /^## (.*)$/m.exec(read('CHANGELOG.md')) ?? [];
    assert.match(title, new RegExp(`^(\\[Unreleased\\] – ${version}|\\[${version}\\] – \\d{4}-\\d\\d-\\d\\d)$`));
  });
});
