/** The client decides what a proposal has left open, as a person would edit its profile. */
import assert from 'node:assert/strict';
import type { schemas } from '@longshore/client';
import { decideOne } from '../../support/models/decide-one.js';

const cell = { label: 'x', row: 2, example: '03.04.2026' };
const date = (format: string) => ({ step: 'date' as const, formats: [format] });
const reading = (format: string) => ({ ...cell, value: format, step: date(format) });
const PROFILE: schemas.ProposedImportProfile = {
  fileType: 'ITEM_IMPORT',
  format: { headerRow: 1 },
  unknownColumns: 'warn',
  skipRowsWhen: [],
  columns: [
    { to: 'SKU', from: 'Nr', steps: [] },
    { to: 'Since', from: 'Seit', steps: [{ step: 'date', undecided: [reading('dd.MM.yyyy'), reading('MM.dd.yyyy')] }] },
    { to: 'Colour', from: 'Colr', steps: [] },
  ],
  undecided: [
    {
      about: 'encoding',
      column: null,
      question: '?',
      readings: [{ ...cell, value: 'big5', format: { encoding: 'big5' } }],
    },
    {
      about: 'column',
      column: 'Colr',
      question: '?',
      readings: [
        { ...cell, value: 'since', rules: [{ to: 'since', from: 'Colr', steps: [] }] },
        { ...cell, value: 'ignore', rules: [{ to: null, from: 'Colr', steps: [] }] },
      ],
    },
    {
      about: 'category',
      column: null,
      question: '?',
      readings: [{ ...cell, value: 'Items', rules: [{ to: 'Category Node', constant: 'Items', steps: [] }] }],
    },
  ],
};

describe('decide', () => {
  it('puts the step of a reading in the place of the undecided one, and leaves the rest as it is', () => {
    const decided = decideOne(PROFILE, 'Seit', 'MM.dd.yyyy');
    assert.deepEqual(decided, {
      ...PROFILE,
      columns: [PROFILE.columns[0], { to: 'Since', from: 'Seit', steps: [date('MM.dd.yyyy')] }, PROFILE.columns[2]],
    });
  });

  it('sets members of the format, and leaves the question out', () => {
    const decided = decideOne(PROFILE, null, 'big5');
    assert.deepEqual(decided?.format, { headerRow: 1, encoding: 'big5' });
    assert.deepEqual(decided?.undecided, PROFILE.undecided?.slice(1));
  });

  it('adds a rule for what no column says', () => {
    const decided = decideOne(PROFILE, null, 'Items');
    assert.deepEqual(decided?.columns.at(-1), { to: 'Category Node', constant: 'Items', steps: [] });
  });

  it('replaces the rule of a column, and ends the rule of another that filled the same', () => {
    const decided = decideOne(PROFILE, 'Colr', 'since');
    assert.deepEqual(decided?.columns.slice(1), [
      { to: null, from: 'Seit', steps: [] },
      { to: 'since', from: 'Colr', steps: [] },
    ]);
    assert.equal(decideOne(PROFILE, 'Colr', 'ignore')?.columns[2]?.to, null);
  });

  it('leaves out the list of questions with the last of them', () => {
    const decided = ['big5', 'Items'].reduce((profile, value) => decideOne(profile, null, value) ?? profile, PROFILE);
    assert.deepEqual(Object.keys(decideOne(decided, 'Colr', 'ignore') ?? {}).includes('undecided'), false);
  });

  it('decides nothing by a value that no reading has, or for a column that has no question', () => {
    assert.equal(decideOne(PROFILE, 'Seit', 'big5'), undefined);
    assert.equal(decideOne(PROFILE, 'Nr', 'Items'), undefined);
  });
});
