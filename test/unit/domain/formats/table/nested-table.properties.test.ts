/** Any JSON or XML document as a table has what a simple model reads from the whole document in memory. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ReadTable, readTable } from './table-fixture.js';

/** Names without signs of paths, none of which is a key that selects. */
const name = fc.constantFrom('a', 'b', 'c', 'größe', 'g:d', '_e', 'a-b');
const plain = fc
  .array(fc.constantFrom('x', 'ü', '中', '😀', '&', '<', '"', "'", '1', ' ', ']]>', '\\', '\t', '\n'), { maxLength: 6 })
  .map((parts) => parts.join(''));

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    plain,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const objects = fc.array(fc.dictionary(name, value, { minKeys: 1, maxKeys: 5 }), { minLength: 1, maxLength: 6 });

/** What a path selects: a name, or the number of an element of an array or of a value that stands alone. */
function select(value: Value | undefined, steps: readonly string[], isElement: boolean): (string | number | boolean)[] {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = steps;
  if (Array.isArray(value)) {
    const all = value.flatMap((element) => select(element, steps, true));
    const numbered = /^\d+$/.test(step ?? '') && !isElement ? select(value[Number(step)], rest, false) : [];
    return step === undefined ? all : [...numbered, ...all];
  }
  if (step === undefined) return typeof value === 'object' ? [] : [value];
  if (step === '0' && !isElement) return select(value, rest, false);
  if (typeof value !== 'object') return [];
  return select(value[step], rest, false);
}

function written(found: readonly (string | number | boolean)[]): string {
  const texts = found.map((each) => (typeof each === 'boolean' ? String(each).toUpperCase() : String(each)));
  return texts.filter((text) => text !== '').join('\n');
}

/** All values of a row, in any order. */
function leaves(value: Value): string[] {
  if (typeof value !== 'object') return [written([value])];
  return value === null ? [] : Object.values(value).flatMap(leaves);
}

function lines(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => text.split('\n')).filter((text) => text !== '');
  return [...new Set(all)].sort();
}

function assertSame(table: ReadTable, rows: readonly { [name: string]: Value }[]): void {
  const filled = rows
    .map((row, index) => ({ row, number: index + 1 }))
    .filter(({ row }) => leaves(row).some((text) => text !== ''));
  assert.deepEqual(
    table.rows.map(({ row }) => row),
    filled.map(({ number }) => number),
  );
  for (const [index, { row }] of filled.entries()) {
    const cells = table.rows[index]?.cells ?? [];
    for (const [column, path] of table.header.entries()) {
      assert.equal(cells[column], written(select(row, path.split('/'), false)), path);
    }
    assert.deepEqual(lines(cells), lines(leaves(row)), 'every value is in a column');
  }
}

const blockBytes = fc.integer({ min: 1, max: 200 });

describe('any JSON document', () => {
  it('has as a table what is in it', async () => {
    const property = fc.asyncProperty(objects, blockBytes, fc.constantFrom(0, 2), async (rows, bytes, indent) => {
      if (rows.every((row) => leafCount(row) === 0)) return;
      const text = JSON.stringify({ before: [{ x: rows }], shop: { rows } }, null, indent);
      const input = { format: 'JSON', blockBytes: bytes } as const;
      assertSame(await readTable(text, { rowPath: 'shop/rows' }, input), rows);
      assertSame(await readTable(JSON.stringify(rows, null, indent), { rowPath: '.' }, input), rows);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('is the same table as JSON Lines', async () => {
    const property = fc.asyncProperty(objects, blockBytes, async (rows, bytes) => {
      if (rows.every((row) => leafCount(row) === 0)) return;
      const array = await readTable(JSON.stringify(rows), { rowPath: '.' }, { format: 'JSON' });
      const text = rows.map((row) => JSON.stringify(row)).join('\n');
      const lines = await readTable(text, { rowPath: '.' }, { format: 'JSONL', blockBytes: bytes });
      assert.deepEqual(lines, array);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('is refused or read, and never fails otherwise, wherever it is cut off or changed', async () => {
    const property = fc.asyncProperty(objects, fc.nat(), plain, async (rows, at, inserted) => {
      const text = JSON.stringify({ rows });
      const cut = at % text.length;
      for (const changed of [text.slice(0, cut), text.slice(0, cut) + inserted + text.slice(cut)]) {
        await readTable(changed, { rowPath: 'rows' }, { format: 'JSON', blockBytes: 7 }).catch((error: unknown) => {
          assert.equal((error as Error).name, 'RejectedInput', (error as Error).stack);
        });
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });
});

/** Whether anything of a row makes a column. */
function leafCount(value: Value): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + leafCount(each), 0);
}

interface Element {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly children: readonly Element[];
  readonly text: string;
}

const element: fc.Arbitrary<Element> = fc.letrec<{ element: Element }>((tie) => ({
  element: fc.record({
    name,
    attributes: fc.dictionary(name, plain, { maxKeys: 2 }),
    children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('element'), { maxLength: 4 })),
    text: plain.map((text) => text.trim()),
  }),
})).element;
const rowsOfXml = fc.array(element, { minLength: 1, maxLength: 5 });

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&apos;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#xA;');
}

/** @param between what stands between elements, which changes nothing */
function xmlOf({ name, attributes, children, text }: Element, between: string): string {
  const written = Object.entries(attributes).map(([each, value]) => ` ${each}="${escaped(value)}"`);
  const own = children.length > 0 ? '' : text.includes(']]>') ? escaped(text) : `<![CDATA[${text}]]>`;
  const inner = children.map((child) => between + xmlOf(child, between)).join('');
  if (own === '<![CDATA[]]>' && inner === '') return `<${name}${written.join('')} />`;
  return `<${name}${written.join('')}>${inner}${inner === '' ? own : between}</${name}>`;
}

/** The element as JSON has it; `#` is its text. */
function jsonOf({ attributes, children, text }: Element): Value {
  const members: [string, Value][] = Object.entries(attributes).map(([each, value]) => [`@${each}`, value]);
  const names = [...new Set(children.map((child) => child.name))];
  for (const each of names) {
    const same = children.filter((child) => child.name === each).map(jsonOf);
    members.push([each, same.length === 1 ? (same[0] as Value) : same]);
  }
  if (members.length === 0) return text;
  return Object.fromEntries(children.length > 0 ? members : [...members, ['#', text]]);
}

/** What the model selects, where a value may be the text of an element with attributes. */
function selectXml(value: Value, path: string): (string | number | boolean)[] {
  const steps = path === '.' ? [] : path.split('/');
  return [...select(value, steps, false), ...select(value, [...steps, '#'], false)];
}

describe('any XML document', () => {
  it('has as a table what is in it, however it is written', async () => {
    const between = fc.constantFrom('', '\n  ', '<!-- a - b -->', '\n<?pi x?>', '\r\n\t');
    const property = fc.asyncProperty(rowsOfXml, between, blockBytes, async (rows, space, bytes) => {
      const inner = rows.map((row) => xmlOf({ ...row, name: 'row' }, space)).join(space);
      const text = `<?xml version="1.0"?><c>${space}<other><row/></other><in>${space}${inner}${space}</in></c>`;
      const input = { format: 'XML', blockBytes: bytes } as const;
      const table = await readTable(text, { rowPath: 'c/in/row' }, input).catch((error: Error) => error);
      const values = rows.map(jsonOf);
      if (table instanceof Error) {
        assert.match(table.message, /have no values/);
        assert.ok(values.every((value) => leaves(value).every((text) => text === '')));
        return;
      }
      const filled = values.flatMap((value, index) =>
        leaves(value).some((text) => text !== '') ? [{ value, row: index + 1 }] : [],
      );
      assert.deepEqual(
        table.rows.map(({ row }) => row),
        filled.map(({ row }) => row),
      );
      for (const [index, { value }] of filled.entries()) {
        const cells: readonly string[] = table.rows[index]?.cells ?? [];
        assert.deepEqual(lines(cells), lines(leaves(value)), 'every value is in a column');
        for (const [column, path] of table.header.entries()) {
          assert.deepEqual(lines([cells[column] as string]), lines([written(selectXml(value, path))]), path);
        }
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('is the same table, whether its rows are scanned or parsed', async () => {
    const property = fc.asyncProperty(rowsOfXml, blockBytes, async (rows, bytes) => {
      const written = rows.map((row) => xmlOf({ ...row, name: 'row' }, ''));
      // After a processing instruction a row is never scanned.
      const [scanned, parsed] = await Promise.all(
        ['', '<?parse?>'].map((before) =>
          readTable(
            `<c>${written.map((row) => before + row).join('')}</c>`,
            { rowPath: 'c/row' },
            { format: 'XML', blockBytes: bytes },
          ).catch((error: Error) => error.message),
        ),
      );
      assert.deepEqual(scanned, parsed);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('is refused with the same reason, whether its rows are scanned or parsed', async () => {
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<b x="1">',
      '</b>',
      '<c/>',
      'x',
      '&amp;',
      '&x;',
      '&#0;',
      ']]>',
      '<![CDATA[',
      '<!--',
      '-->',
      '<',
      '>',
      '"',
      ' ',
      '=',
      '\u0001',
    );
    const property = fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const row = `<row>${parts.join('')}</row>`;
      const [scanned, parsed] = await Promise.all(
        ['', '<?parse?>'].map((before) =>
          readTable(`<c>${before}${row}<row><d>1</d></row></c>`, { rowPath: 'c/row' }, { format: 'XML' }).then(
            ({ header, rows }) => JSON.stringify({ header, rows }),
            (error: { reason?: string; stack?: string }) => error.reason ?? error.stack,
          ),
        ),
      );
      assert.equal(scanned, parsed);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
