/** The console has words of its own for each sentence in which an inspection tells something of a sheet. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { hiddenColumns, noMarks } from '../../../src/domain/formats/xlsx/read/sheet-marks.js';
import { sheetNotes } from '../../../src/domain/inspection/sheet-notes.js';

const SOURCE = fileURLToPath(
  new URL('../../../../packages/console/src/pages/imports/sheet-sentences.ts', import.meta.url),
);

type Parts = { readonly key: string; readonly values: Record<string, string | undefined> } | undefined;

describe('the notes of a sheet in the console', () => {
  let partsOfNote: (note: string) => Parts;
  before(async () => {
    const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: 'esm', write: false });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    ({ partsOfNote } = await import(`data:text/javascript;base64,${code}`));
  });

  const partsOf = (marks: object, columns: readonly [number, number][], header: readonly string[]) => {
    const found = { ...noMarks(), ...marks };
    for (const [from, to] of columns) hiddenColumns(found, from, to);
    return sheetNotes(found, 30, header).map((note) => {
      const { key, values } = partsOfNote(note) ?? {};
      return [key, ...Object.values(values ?? {})];
    });
  };

  it('have their rows, columns and counts', () => {
    assert.deepEqual(partsOf({ rows: 1, firstRow: 7, merged: 1, firstMerged: 9 }, [[1, 1]], ['a', 'Cost']), [
      ['hiddenRow', '7'],
      ['hiddenColumns', 'B ("Cost")', undefined],
      ['mergedRow', '9'],
    ]);
    const names = 'A, B, C, D, E, F, G, H, I, J';
    assert.deepEqual(partsOf({ rows: 1_200, firstRow: 7, merged: 40, firstMerged: 9 }, [[0, 11]], []), [
      ['hiddenRows', '1200', '7'],
      ['hiddenColumns', names, '2'],
      ['mergedRows', '40', '9'],
    ]);
  });

  it('keep names of columns that look like the rest of the sentence', () => {
    const odd = 'x and 3 more.\n ';
    assert.deepEqual(partsOf({}, [[0, 0]], [odd])[0]?.slice(0, 1), ['hiddenColumns']);
    assert.equal(partsOf({}, [[0, 0]], ['x and 3 more'])[0]?.[1], 'A ("x and 3 more")');
  });
});
