/** A profile that cannot be applied is refused before it is saved, with the member at fault and what to do. */
import assert from 'node:assert/strict';
import { checkInput } from '../../../../../src/api/input/check-input.js';
import { profileSchema } from '../../../../../src/domain/profiles/model/profile.js';

const SKU = { to: 'SKU', from: 'Artikel' };

/** Each problem as `path: message`. */
function problemsOf(profile: unknown): string[] {
  const checked = checkInput(profileSchema, profile, 'field');
  return 'data' in checked ? [] : checked.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function withColumns(...columns: unknown[]): unknown {
  return { fileType: 'ITEM_IMPORT', columns };
}

function withStep(step: unknown): unknown {
  return withColumns({ ...SKU, steps: [step] });
}

describe('the document of an import profile', () => {
  it('has defaults for what is left out', () => {
    const { format, unknownColumns, skipRowsWhen, columns } = profileSchema.parse(withColumns(SKU));
    assert.deepEqual(
      { format, unknownColumns, skipRowsWhen },
      { format: {}, unknownColumns: 'warn', skipRowsWhen: [] },
    );
    assert.deepEqual(columns, [{ ...SKU, steps: [] }]);
  });

  it('is the same after it was stored and read again', () => {
    const steps = [
      { step: 'number', decimal: ',', thousands: '.', currency: ['€'] },
      { step: 'replace', table: { b: '2', a: '1' }, otherwise: 'keep' },
    ];
    const parsed = profileSchema.parse(withColumns({ ...SKU, steps }));
    assert.deepEqual(profileSchema.parse(JSON.parse(JSON.stringify(parsed))), parsed);
  });

  for (const [what, profile, expected] of [
    [
      'an unknown step, with the one that was meant',
      withStep({ step: 'trimm' }),
      /^columns\.0\.steps\.0\.step: must be one of trim, .*: did you mean "trim"\?$/,
    ],
    ['a step without a name', withStep({}), /^columns\.0\.steps\.0\.step: is missing: give one of trim, /],
    [
      'an unknown member',
      withStep({ step: 'number', decimal: ',', thousand: '.' }),
      /^columns\.0\.steps\.0\.thousand: there is no field "thousand": did you mean "thousands"\?$/,
    ],
    ['a member that is missing', withStep({ step: 'number' }), /^columns\.0\.steps\.0\.decimal: is missing/],
    [
      'one sign for decimals and thousands',
      withStep({ step: 'number', decimal: ',', thousands: ',' }),
      /thousands: is the decimal sign as well/,
    ],
    [
      'a date format with an open century',
      withStep({ step: 'date', formats: ['dd.MM.yy'] }),
      /formats\.0: "yy" leaves the century open/,
    ],
    [
      'a word for true and false',
      withStep({ step: 'boolean', true: ['ja', 'x'], false: ['X '] }),
      /false\.0: "X" stands for true as well/,
    ],
    [
      'two lists',
      withColumns({
        ...SKU,
        steps: [
          { step: 'list', separator: '|' },
          { step: 'list', separator: ',' },
        ],
      }),
      /columns\.0\.steps: have two lists/,
    ],
    [
      'two rules for one column, in any case',
      withColumns(SKU, { to: 'sku ', from: 'B' }),
      /^columns\.1\.to: "sku" is filled by the rule 0 already/,
    ],
    [
      'a constant beside a column',
      withColumns({ ...SKU, constant: '1' }),
      /^columns\.0\.constant: stands beside "from"/,
    ],
    [
      'a rule that fills a column with nothing',
      withColumns({ to: 'SKU' }),
      /^columns\.0\.from: is missing: name the column/,
    ],
    [
      'an ignored column with steps',
      withColumns(SKU, { to: null, from: 'B', steps: [{ step: 'trim' }] }),
      /^columns\.1\.to: is null/,
    ],
    [
      'a column that is named twice',
      withColumns({ to: 'SKU', from: ['A', 'a '] }),
      /^columns\.0\.from: names "a " twice/,
    ],
    ['a combination of one column', withColumns({ ...SKU, combine: 'join' }), /^columns\.0\.combine: needs several/],
    [
      'a column that imports ignore',
      withColumns(SKU, { to: '_x', from: 'B' }),
      /^columns\.1\.to: "_x" begins with "_"/,
    ],
    [
      'an unknown encoding',
      { ...(withColumns(SKU) as object), format: { encoding: 'latin-99' } },
      /^format\.encoding: The encoding "latin-99" is not known/,
    ],
    [
      'a delimiter of two characters',
      { ...(withColumns(SKU) as object), format: { delimiter: '||' } },
      /^format\.delimiter: expected one character/,
    ],
    [
      'a pattern that cannot be compiled',
      { ...(withColumns(SKU) as object), skipRowsWhen: [{ column: 'A', is: { matches: '(' } }] },
      /matches: the pattern has a \( without its \)/,
    ],
    [
      'a pattern that is too large',
      { ...(withColumns(SKU) as object), skipRowsWhen: [{ column: 'A', is: { matches: '[ab]{900}' } }] },
      /matches: the pattern has a size of/,
    ],
    [
      'categories without their key',
      { fileType: 'CATEGORY_IMPORT', columns: [{ to: 'Categorie Path', from: 'A' }] },
      /^columns: have no rule with "to": "Category Path".*"Categorie Path" is not its name/,
    ],
    [
      'two rows of a header of which none is named',
      Object.assign({}, withColumns(SKU), { format: { headerRows: 2 } }),
      /^format\.headerRows: needs "headerRow", the number of the lower of both rows: 2 or more/,
    ],
    [
      'half of a split',
      withColumns({ ...SKU, split: { separator: '|' } }),
      /^columns\.0\.split: needs either "separator" and "part", or "start"/,
    ],
    [
      'a part that is none',
      withColumns({ ...SKU, split: { separator: '|', part: 0 } }),
      /^columns\.0\.split\.part: must be at least 1/,
    ],
    [
      'a split from right to left',
      withColumns({ ...SKU, split: { start: 4, end: 3 } }),
      /^columns\.0\.split\.end: is before the start/,
    ],
    ['no rules', { fileType: 'ITEM_IMPORT', columns: [] }, /^columns: is empty/],
  ] as const) {
    it(`refuses ${what}`, () => {
      const problems = problemsOf(profile);
      assert.ok(
        problems.some((problem) => expected.test(problem)),
        problems.join('\n'),
      );
    });
  }

  it('refuses what a proposal has left open, with the column, each reading and a row for it', () => {
    const undecided = [
      { value: 'dd.MM.yyyy', label: '3 April 2026', row: 2, example: '03.04.2026' },
      { value: 'MM.dd.yyyy', label: '4 March 2026', row: 2, example: '03.04.2026' },
    ];
    assert.deepEqual(problemsOf(withColumns(SKU, { to: 'Since', from: 'ab', steps: [{ step: 'date', undecided }] })), [
      'columns.1.steps.0: the column "ab" can be read in 2 ways ("dd.MM.yyyy": row 2, "03.04.2026", is 3 April 2026; "MM.dd.yyyy": row 2, "03.04.2026", is 4 March 2026): decide for one of them',
    ]);
  });
});
