import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HANGS, INJECTED_BUGS } from '../../chaos/injected-bugs.js';

const PROGRAMS = fileURLToPath(new URL('../../../app/', import.meta.url));

describe('the bugs that a chaos run can inject', () => {
  for (const [name, replacements] of Object.entries({ ...INJECTED_BUGS, ...HANGS })) {
    it(`find their places in the programs as they are built: ${name}`, () => {
      const bundles = readdirSync(PROGRAMS, { encoding: 'utf8', recursive: true })
        .filter((file) => file.endsWith('.js'))
        .map((file) => readFileSync(join(PROGRAMS, file), 'utf8'));
      for (const { module, from } of replacements) {
        const holders = bundles.filter((source) => source.includes(`\n// ${module}\n`));
        assert.equal(holders.length, 1, `${module} is in one bundle`);
        assert.equal(holders[0]?.split(from).length, 2, `the bundle of ${module} contains "${from}" once`);
      }
    });
  }
});
