import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { REJECT_REASONS } from '../../../../src/domain/formats/model/rejected-input.js';
import { ROW_CODES, type WarningCode } from '../../../../src/domain/kernel/row-problem.js';

const PAGE = new URL('../../../../../docs/use/row-codes.md', import.meta.url);

/** It does not compile where a code is missing. */
const WARNINGS: Readonly<Record<WarningCode, true>> = {
  NUMBER_AMBIGUOUS: true,
  DATE_AMBIGUOUS: true,
  VALUE_TRIMMED: true,
  TEXT_MISREAD: true,
  VALUE_IGNORED: true,
  COLUMN_EMPTY: true,
  COLUMN_NOT_MAPPED: true,
  ROW_LEFT_OUT: true,
  STAYS_AFTER_REVERT: true,
};

/** What results say of a row in which no fault was found, and which was not written. */
const OF_RESULTS = 'NOT_APPLIED';

describe('docs/use/row-codes.md', () => {
  const rows = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

  it('explains every code and every reason once, and no other', () => {
    const explained = rows.map(([, code]) => code?.replaceAll('`', ''));
    assert.deepEqual(explained.sort(), [...ROW_CODES, ...REJECT_REASONS, OF_RESULTS].sort());
  });

  it('and docs/use/jobs.md every code of a warning', () => {
    const page = readFileSync(new URL('jobs.md', PAGE), 'utf8');
    for (const code of Object.keys(WARNINGS))
      assert.match(page, new RegExp(`^\\| \`${code}\` +\\| [A-Z].+\\. +\\| .+\\. +\\|$`, 'm'));
  });

  it('says of each what it means and what to do', () => {
    for (const [, code, meaning, remedy] of rows) {
      assert.match(meaning ?? '', /^[A-Z].+\.$/, code);
      assert.match(remedy ?? '', /^[A-Z].+\.$/, code);
    }
  });
});
