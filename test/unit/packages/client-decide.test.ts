/** What the client makes of a proposal and of decisions: a profile that can be imported, and what it needs. */
import assert from 'node:assert/strict';
import { accepted, decide, openQuestions, type schemas } from '@longshore/client';

type Proposal = schemas.ImportProposal;

const DATES = {
  step: 'date',
  undecided: ['dd.MM.yyyy', 'MM.dd.yyyy'].map((format, index) => ({
    ...{ value: format, label: ['3 April 2026', '4 March 2026'][index] ?? '', row: 2, example: '03.04.2026' },
    step: { step: 'date', formats: [format] },
  })),
};

/** Two columns may be the title, and one of them brings a step that is undecided. */
function proposal(): Proposal {
  const readings = [
    { value: 'Name', label: 'the title', row: 2, example: 'Tent', rules: [{ to: 'Title', from: 'Name', steps: [] }] },
    {
      value: 'Since',
      label: 'the title',
      row: 2,
      example: 'x',
      rules: [{ to: 'Title', from: 'Since', steps: [DATES] }],
    },
  ];
  const encoding = { value: 'windows-1252', label: '"ä"', row: 3, example: 'ä', format: { encoding: 'windows-1252' } };
  return {
    fileType: 'ITEM_IMPORT',
    profile: {
      fileType: 'ITEM_IMPORT',
      format: { delimiter: ';' },
      unknownColumns: 'warn',
      skipRowsWhen: [],
      columns: [
        { to: 'SKU', from: 'No', steps: [] },
        { to: 'Title', from: 'Label', steps: [] },
        { to: null, from: 'Name', steps: [] },
        { to: 'Since', from: 'Since', steps: [DATES] },
      ],
      undecided: [
        { about: 'column', column: 'Name', question: 'What is it?', readings },
        { about: 'encoding', column: null, question: 'Which encoding?', readings: [encoding] },
      ],
    },
    missing: {
      attributes: [
        { name: 'Title', type: 'TEXT' },
        { name: 'Since', type: 'DATETIME' },
      ],
      options: [{ attribute: 'Colour', values: ['red'] }],
      categories: ['Tents'],
      assignments: [{ category: 'Tents', attributes: ['Since'] }],
    },
  } as unknown as Proposal;
}

describe('decisions of the client', () => {
  it('put the rule of an answer in the place of its column, and end another that fills the same', () => {
    const given = proposal();
    const { profile } = decide(given, { name: 'Name' });
    assert.deepEqual(
      profile.columns.map(({ to, from }) => [to, from]),
      [
        ['SKU', 'No'],
        [null, 'Label'],
        ['Title', 'Name'],
        ['Since', 'Since'],
      ],
    );
    assert.deepEqual(given, proposal(), 'the proposal itself is as it was');
  });

  it('set the format for questions about the file', () => {
    const { profile } = decide(proposal(), { encoding: 'windows-1252' });
    assert.deepEqual(profile.format, { delimiter: ';', encoding: 'windows-1252' });
    assert.deepEqual(
      openQuestions({ profile }).map(({ column }) => column),
      ['Name', 'Since'],
    );
  });

  it('answer a step that an answer has brought, by the second of two values', () => {
    const decided = decide(proposal(), { Name: 'Since', Since: 'MM.dd.yyyy', encoding: 'windows-1252' });
    assert.deepEqual(openQuestions(decided), []);
    const { profile } = accepted(decided);
    assert.deepEqual(profile.columns.at(-1), {
      ...{ to: 'Title', from: 'Since' },
      steps: [{ step: 'date', formats: ['MM.dd.yyyy'] }],
    });
    assert.ok(!('undecided' in profile));
  });

  it('are required before anything is accepted, each with what to choose from', () => {
    assert.throws(() => accepted(proposal()), {
      code: 'UNDECIDED',
      message: 'the file can be read in several ways: decide about "Name", "encoding", "Since"',
    });
    assert.throws(() => decide(proposal(), { Name: 'Other' }), {
      code: 'DECISION_INVALID',
      message: /"Name" \(the title\)/,
    });
    assert.throws(() => decide(proposal(), { No: 'x' }), { code: 'DECISION_INVALID', message: /nothing to decide/ });
  });
});
