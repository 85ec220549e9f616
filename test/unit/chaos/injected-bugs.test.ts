import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { INJECTED_BUGS } from '../../chaos/injected-bugs.js';

const BUILD = fileURLToPath(new URL('../../../', import.meta.url));

describe('the bugs that a chaos run can inject', () => {
  for (const [name, replacements] of Object.entries(INJECTED_BUGS)) {
    it(`find their places in the modules as they are built: ${name}`, async () => {
      for (const { module, from } of replacements) {
        const source = await readFile(`${BUILD}${module}`, 'utf8');
        assert.equal(source.split(from).length, 2, `${module} contains "${from}" once`);
      }
    });
  }
});
