/** Rows are written in the form of a profile so that the same profile reads what they were, whatever its rules are. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileForward } from '../../../../src/domain/profiles/inverse/forward.js';
import { type Profile, profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { RowWriter, type WriteLoss } from '../../../../src/domain/profiles/row-writer.js';

const KEY = { to: 'SKU', from: 'id' };

function profileOf(columns: readonly unknown[], skipRowsWhen: readonly unknown[] = []): Profile {
  return profileSchema.parse({ fileType: 'ITEM_IMPORT', columns: [KEY, ...columns], skipRowsWhen });
}

interface Written {
  readonly row: Readonly<Record<string, string>> | null;
  readonly losses: readonly WriteLoss[];
}

/** Writes one item. @param cells of the rules, the SKU first */
function write(profile: Profile, cells: readonly string[], canWrite: (text: string) => boolean = () => true): Written {
  const losses: WriteLoss[] = [];
  const options = {
    key: 0,
    canWrite,
    clears: (rule: number) => rule > 0,
    onLoss: (loss: WriteLoss) => losses.push(loss),
  };
  const writer = new RowWriter(profile, options);
  const row = writer.write(cells);
  return { row: row && Object.fromEntries(writer.header.map((name, index) => [name, row[index] ?? ''])), losses };
}

/** What the rules of a profile make of a row, the SKU first; null: a step fails. */
function readBack({ columns }: Profile, row: Readonly<Record<string, string>>): (string | null)[] {
  const header = Object.keys(row);
  return columns.flatMap((rule) => {
    if (rule.to === null) return [];
    const sources = typeof rule.from === 'string' ? [rule.from] : (rule.from ?? []);
    return [
      compileForward(
        rule,
        sources.map((name) => header.indexOf(name)),
      )(Object.values(row)),
    ];
  });
}

/** The cell that a rule with these steps writes for a value; null when it is left empty or the item is left out. */
function written(steps: readonly unknown[], value: string): string | null {
  const { row, losses } = write(profileOf([{ to: 'Value', from: 'value', steps }]), ['1', value]);
  return losses.length > 0 ? null : (row?.value ?? null);
}

describe('a row in the form of a profile', () => {
  it('has the words, signs and separators of the source', () => {
    const de = { step: 'number', decimal: ',', thousands: '.', currency: ['€'] };
    for (const [steps, value, expected] of [
      [[], 'plain', 'plain'],
      [[{ step: 'trim' }], 'plain', 'plain'],
      [[de], '1950.27', '1.950,27 €'],
      [[de], '-1234567.5', '-1.234.567,5 €'],
      [[{ step: 'number', decimal: '.' }], '12', '12'],
      [
        [
          { step: 'removeUnit', units: ['cm'] },
          { step: 'number', decimal: ',' },
        ],
        '12.5',
        '12,5 cm',
      ],
      [[{ step: 'date', formats: ['dd.MM.yyyy'] }], '2026-12-31', '31.12.2026'],
      [[{ step: 'date', formats: ['dd.MM.yyyy HH:mm', 'dd.MM.yyyy'] }], '2026-12-31', '31.12.2026'],
      [[{ step: 'boolean', true: ['ja', 'wahr'], false: ['nein'] }], 'TRUE', 'ja'],
      [[{ step: 'boolean', true: ['ja'], false: ['nein'] }], 'FALSE', 'nein'],
      [[{ step: 'path', separator: ' > ' }], 'Fahrräder->E-Bikes', 'Fahrräder > E-Bikes'],
      [[{ step: 'path', separator: '/', root: 'Shop->Online' }], 'Shop->Online->Hats', 'Hats'],
      [[{ step: 'list', separator: '|' }], 'a;b', 'a|b'],
      [
        [
          { step: 'list', separator: ', ' },
          { step: 'prefix', text: 'x-' },
        ],
        'x-a;x-b',
        'a, b',
      ],
      [[{ step: 'prefix', text: 'A-' }], 'A-1', '1'],
      [[{ step: 'suffix', text: '.jpg' }], 'one.jpg', 'one'],
      [[{ step: 'replace', table: { rot: 'Red', blau: 'Blue' } }], 'Blue', 'blau'],
      [[{ step: 'replace', table: { rot: 'Red' }, otherwise: 'keep' }], 'Green', 'Green'],
      [[{ step: 'stripHtml' }], 'a < b & c\nd', 'a &lt; b &amp; c<br>d'],
      [[{ step: 'case', to: 'upper' }], 'RED', 'RED'],
      [[{ step: 'default', value: 'none' }], 'some', 'some'],
      [[{ step: 'trim' }, { step: 'default', value: 'none' }], '', 'NULL'],
    ] as const) {
      assert.equal(written(steps, value), expected, JSON.stringify([steps, value]));
    }
  });

  it('leaves a cell empty that no cell of the source can be read as', () => {
    for (const [steps, value] of [
      [[{ step: 'trim' }], ' blank'],
      [[{ step: 'case', to: 'upper' }], 'Red'],
      [[{ step: 'number', decimal: ',' }], 'cheap'],
      [[{ step: 'date', formats: ['dd.MM.yyyy'] }], '2026-12-31T09:30:00.000Z'],
      [[{ step: 'replace', table: { rot: 'Red' } }], 'Green'],
      [[{ step: 'replace', table: { rot: 'Red' }, otherwise: 'keep' }], 'rot'],
      [[{ step: 'path', separator: '/' }], 'Cables->A/B'],
      [[{ step: 'path', separator: '/', root: 'Shop' }], 'Other->Hats'],
      [[{ step: 'prefix', text: 'A-' }], 'B-1'],
      [[{ step: 'list', separator: ', ' }], 'a, b;c'],
    ] as const) {
      const { row, losses } = write(profileOf([{ to: 'Value', from: 'value', steps }]), ['1', value]);
      assert.deepEqual([row?.value, losses], ['', [{ what: 'cell', rule: 1 }]], JSON.stringify([steps, value]));
    }
  });

  it('leaves out an item that the profile would change: by a constant, by a default, by a key that is not its own', () => {
    const brand = profileOf([{ to: 'Brand', constant: 'Acme' }]);
    assert.deepEqual(write(brand, ['1', 'Acme']).losses, []);
    assert.deepEqual(write(brand, ['1', 'Other']), { row: null, losses: [{ what: 'item', rule: 1 }] });
    const stock = profileOf([
      {
        to: 'Stock',
        from: 'n',
        steps: [
          { step: 'default', value: '0' },
          { step: 'number', decimal: '.' },
        ],
      },
    ]);
    assert.deepEqual(write(stock, ['1', '']).losses, [{ what: 'item', rule: 1 }]);
    const upper = profileSchema.parse({
      fileType: 'ITEM_IMPORT',
      columns: [{ ...KEY, steps: [{ step: 'case', to: 'upper' }] }],
    });
    assert.deepEqual(write(upper, ['a1']).losses, [{ what: 'item', rule: 0 }]);
    assert.deepEqual(write(upper, ['A1']).row, { id: 'A1' });
  });

  it('leaves out what skipRowsWhen leaves out', () => {
    const profile = profileOf([{ to: 'Title', from: 'name' }], [{ column: 'name', is: 'empty' }]);
    assert.deepEqual(write(profile, ['1', '']), { row: null, losses: [{ what: 'skipped', rule: -1 }] });
    assert.deepEqual(write(profile, ['1', 'Hat']).row, { id: '1', name: 'Hat' });
  });

  it('has all columns that the profile reads, those without a value too', () => {
    const profile = profileOf(
      [
        { to: null, from: 'note' },
        { to: 'Title', from: ['name', 'short'] },
      ],
      [{ column: 'state', is: { equals: ['gone'] } }],
    );
    assert.deepEqual(write(profile, ['1', 'Hat']).row, { id: '1', note: '', name: 'Hat', short: '', state: '' });
  });

  it('puts values together that several rules have made of one column', () => {
    const price = (part: number) => ({ separator: ' ', part });
    const profile = profileOf([
      { to: 'Price', from: 'price', split: price(1), steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Currency', from: 'price', split: price(2) },
    ]);
    assert.deepEqual(write(profile, ['1', '15.5', 'EUR']).row, { id: '1', price: '15.5 EUR' });
    assert.deepEqual(write(profile, ['1', '15', '']).row, { id: '1', price: '15' });
    // Without a number the unit would be read as one.
    assert.equal(write(profile, ['1', '', 'EUR']).row?.price, ' EUR');
  });

  it('divides a joined value where the other columns are known, and writes it to one column otherwise', () => {
    const title = { to: 'Title', from: ['brand', 'name'], combine: 'join' };
    const known = profileOf([title, { to: 'Brand', from: 'brand' }]);
    assert.deepEqual(write(known, ['1', 'Acme Hat', 'Acme']).row, { id: '1', brand: 'Acme', name: 'Hat' });
    assert.deepEqual(write(profileOf([title]), ['1', 'Acme Hat']).row, { id: '1', brand: 'Acme Hat', name: '' });
  });

  it('writes a column for the rule that keeps it whole, and nothing that contradicts another rule', () => {
    const both = profileOf([
      { to: 'Title', from: 'name' },
      { to: 'Short Title', from: 'name' },
    ]);
    assert.deepEqual(write(both, ['1', 'Hat', 'Hat']).row, { id: '1', name: 'Hat' });
    const { row, losses } = write(both, ['1', 'Hat', 'Other']);
    assert.deepEqual([row?.name, losses.length], ['', 2]);
    const first = profileOf([{ to: 'Article', from: 'id', split: { separator: '-', part: 1 } }]);
    assert.deepEqual(write(first, ['AB-1', 'AB']).losses, []);
    assert.deepEqual(write(first, ['AB-1', 'CD']).losses, [{ what: 'item', rule: 1 }]);
  });

  it('has no text that the file cannot hold', () => {
    const profile = profileOf([{ to: 'Title', from: 'name' }]);
    const { row, losses } = write(profile, ['1', 'Ł'], (text) => text !== 'Ł');
    assert.deepEqual([row?.name, losses], ['', [{ what: 'cell', rule: 1 }]]);
  });

  it('comes back as it was, for values of every type in the steps that read them', () => {
    const words = fc.constantFrom(
      'a',
      'b ',
      ' c',
      'ä',
      'A-1',
      'x;y',
      '<b>',
      '&amp;',
      'x > y',
      'NULL',
      '\\NULL',
      '\\\\x',
      'l\nm',
      '',
    );
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
    const decimal = fc
      .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 1, max: 999 }))
      .map(([whole, part]) => `${whole}.${part}1`);
    const day = fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
    const numbers = fc.oneof(digits, decimal);
    const texts = fc.array(words, { maxLength: 4 }).map((all) => all.join(''));
    const numberStep = fc.record({
      step: fc.constant('number'),
      ...{ decimal: fc.constant(','), thousands: fc.constantFrom('.', ' ', "'", '') },
      currency: fc.constantFrom([], ['€'], ['EUR', 'USD']),
    });
    const dates = fc.constantFrom(
      [{ step: 'date', formats: ['dd.MM.yyyy'] }],
      [{ step: 'date', formats: ['MM/dd/yyyy', 'dd/MM/yyyy', "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"] }],
    );
    const textStep = fc.constantFrom(
      ...[{ step: 'trim' }, { step: 'collapseSpaces' }, { step: 'stripHtml' }, { step: 'case', to: 'lower' }],
      ...[
        { step: 'prefix', text: 'A' },
        { step: 'suffix', text: '-1' },
        { step: 'default', value: 'a' },
      ],
      ...[
        { step: 'replace', table: { a: 'b', b: 'a', c: 'a' }, otherwise: 'keep' },
        { step: 'path', separator: '>' },
      ],
      ...[
        { step: 'replace', table: { x: 'a', y: '' }, otherwise: 'empty' },
        { step: 'removeUnit', units: ['b'] },
      ],
    );
    const split = fc.constantFrom(
      undefined,
      undefined,
      { separator: '-', part: 1 },
      { separator: '-', part: 2 },
      { start: 2 },
    );
    const some = fc.constantFrom<unknown[]>(['a'], ['b'], ['a', 'b'], ['b', 'a', 'c']);
    const textRule = fc
      .record({
        from: some,
        split,
        combine: fc.constantFrom('first', 'join'),
        steps: fc.array(textStep, { maxLength: 3 }),
      })
      .chain((rule) => texts.map((value) => [rule, value] as const));
    const listRule = fc.tuple(
      fc.constant({ from: ['d'], steps: [{ step: 'list', separator: '|' }, { step: 'trim' }] }),
      fc.array(words, { maxLength: 3 }).map((all) => all.join(';')),
    );
    const typedRule = fc.oneof(
      fc.tuple(
        numberStep.map((step) => ({ from: ['e'], steps: [step] })),
        numbers,
      ),
      fc.tuple(
        dates.map((steps) => ({ from: ['f'], steps })),
        fc.oneof(
          day,
          day.map((text) => text.slice(0, 10)),
        ),
      ),
      fc.tuple(
        fc.constant({ from: ['g'], steps: [{ step: 'boolean', true: ['oui', '1'], false: ['non'] }] }),
        fc.constantFrom('TRUE', 'FALSE', ''),
      ),
    );
    const rules = fc.array(fc.oneof(textRule, listRule, typedRule), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rules, (all) => {
        const columns = all.map(([{ from, ...rule }, _], index) => {
          const several = from.length > 1;
          const { combine, ...others } = { combine: undefined, ...rule };
          return { to: `C${index}`, from: several ? from : from[0], ...others, ...(several ? { combine } : {}) };
        });
        const profile = profileOf(columns);
        const cells = ['sku', ...all.map(([, value]) => value)];
        const { row, losses } = write(profile, cells);
        if (row === null) return losses.length === 1;
        const lost = new Set(losses.map(({ rule }) => rule));
        return readBack(profile, row).every((read, index) => {
          const cell = cells[index];
          return lost.has(index) ? read === '' : read === cell || (cell === '' && read === 'NULL');
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it('loses nothing of values that their type can be written as', () => {
    const price = [{ step: 'number', decimal: ',', thousands: '.' }];
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(999_999), (whole, part) => {
        const value = part === 0 ? String(whole) : `${whole}.${part}1`;
        return written(price, value) !== null;
      }),
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const value = date.toISOString().slice(0, 10);
          return written([{ step: 'date', formats: ['dd.MM.yyyy', 'yyyy/MM/dd'] }], value) !== null;
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zäöü]{1,8}$/), { minLength: 1, maxLength: 6 }), (names) => {
        const isWritten = written([{ step: 'path', separator: ' > ' }], names.join('->')) !== null;
        return isWritten && written([{ step: 'list', separator: '|' }], names.join(';')) !== null;
      }),
    );
  });
});
