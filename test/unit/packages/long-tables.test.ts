/** Tables of the command line: aligned, and of a cost that grows with their length. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const TERMINAL = new URL('../../../../packages/cli/dist/terminal.js', import.meta.url).href;

/** What a table of these rows is in a pipe. @param repeated how often the rows are in it */
function printed(
  rows: readonly (readonly string[])[],
  repeated = 1,
): { readonly text: string; readonly cpuMs: number } {
  const program = `
    import { printTable } from '${TERMINAL}';
    const rows = Array.from({ length: ${repeated} }, () => ${JSON.stringify(rows)}).flat();
    const before = process.cpuUsage();
    printTable(['NAME', 'VALUE', 'NOTE'], rows);
    const { user } = process.cpuUsage(before);
    process.stderr.write(String(user / 1000));`;
  const output = execFileSync('sh', ['-c', '"$0" --input-type=module -e "$1" 2>&1', process.execPath, program], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const end = output.lastIndexOf('\n') + 1;
  return { text: output.slice(0, end), cpuMs: Number(output.slice(end)) };
}

describe('tables of the command line', function () {
  this.timeout(60_000);

  it('align letters with accents, wide characters and cells of several lines, and end with no blanks', () => {
    const rows = [
      ['é'.normalize('NFD'), 'one\ntwo', 'first  note'],
      ['茶 tea', '3', ''],
    ];
    const lines = ['NAME    VALUE  NOTE', 'é       one    first note', '        two', '茶 tea  3', ''];
    assert.equal(printed(rows).text.normalize('NFC'), lines.join('\n'));
  });

  it('take time that grows with their rows, and not with the square of them', () => {
    const row = [['a name', 'a value', 'a note']];
    const [few, many] = [printed(row, 2_000), printed(row, 40_000)];
    assert.equal(many.text.split('\n').length, 40_002);
    // 20 times the rows: by squares it would be 400 times the time. The first lines are slow while the program warms up.
    assert.ok(many.cpuMs < 100 * Math.max(few.cpuMs, 5), `${few.cpuMs} ms, then ${many.cpuMs} ms`);
  });
});
