/** Each decision says whether it still holds and what it is about, and is listed under that subject in docs/README.md. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const LINK = /\[(\d+)\]\((\d{4}-[a-z0-9-]+\.md)\)/;

interface Decision {
  readonly file: string;
  readonly number: number;
  readonly title: string;
  readonly subject: string;
  /** The number of the decision that supersedes it, or a part of it; null: it holds as a whole. */
  readonly supersededBy: number | null;
}

/** @throws Error that says how the page has to begin */
function parse(file: string, text: string): Decision {
  const [heading = '', , status = ''] = text.split('\n');
  const [, number, title] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
  const [, how = '', subject] = /^Status: (.+)\. Subject: ([^.]+)\.$/.exec(status) ?? [];
  const [, link = ''] = /^(?:accepted, in part )?superseded by (\S+)(?:: .+)?$/.exec(how) ?? [];
  const by = LINK.exec(link);
  if (number === undefined || title === undefined || subject === undefined || (by === null && how !== 'accepted'))
    throw new Error(
      `${file} has to begin with "# 7. Title", an empty line, and "Status: accepted. Subject: Jobs." or "Status: accepted, ` +
        'in part superseded by [8](0008-file.md): what. Subject: Jobs." or "Status: superseded by [8](0008-file.md). …"',
    );
  const supersededBy = by === null ? null : Number(by[1]);
  if (by !== null && !(existsSync(`${DOCS}decisions/${by[2]}`) && Number(by[2]?.slice(0, 4)) === supersededBy))
    throw new Error(`${file} is superseded by ${link}, which does not exist`);
  return { file, number: Number(number), title, subject, supersededBy };
}

/** A row of the index as it has to be. */
function rowOf({ file, number, title, supersededBy }: Decision): string[] {
  const text = readFileSync(`${DOCS}decisions/${file}`, 'utf8');
  const extent = text.includes('\nStatus: accepted, in part') ? 'in part superseded' : 'superseded';
  const status = supersededBy === null ? 'accepted' : `${extent} by ${supersededBy}`;
  return [`[${number}](decisions/${file})`, title, status];
}

/** Subject → the rows below its heading. */
function indexOf(page: string): Record<string, string[][]> {
  const [, section = ''] = /\n## Decisions\n([\s\S]*?)(?=\n## |$)/.exec(page) ?? [];
  const subjects = section.split('\n### ').slice(1);
  return Object.fromEntries(
    subjects.map((text) => {
      const [subject = '', ...lines] = text.split('\n');
      const rows = lines.filter((line) => line.startsWith('| [')).map((line) => line.slice(2, -2).split(' | '));
      return [subject, rows.map((row) => row.map((cell) => cell.trim()))];
    }),
  );
}

describe('the decisions', () => {
  const files = readdirSync(`${DOCS}decisions`).filter((file) => /^\d{4}-.*\.md$/.test(file));
  const decisions = () => files.sort().map((file) => parse(file, readFileSync(`${DOCS}decisions/${file}`, 'utf8')));

  it('have numbers of their own, which their files begin with', () => {
    const numbers = decisions().map(({ number }) => number);
    assert.deepEqual(
      numbers,
      files.map((file) => Number(file.slice(0, 4))),
    );
    assert.equal(new Set(numbers).size, numbers.length);
  });

  it('are listed by subject in docs/README.md, with their titles and their status', () => {
    const expected: Record<string, string[][]> = {};
    for (const decision of decisions()) {
      expected[decision.subject] ??= [];
      expected[decision.subject]?.push(rowOf(decision));
    }
    assert.deepEqual(indexOf(readFileSync(`${DOCS}README.md`, 'utf8')), expected);
  });

  it('are refused without a status, a subject, or the decision that supersedes them', () => {
    const page = (status: string) => `# 9. Title\n\n${status}\n`;
    const [first = ''] = files;
    assert.equal(parse('0009-a.md', page('Status: accepted. Subject: Jobs.')).supersededBy, null);
    const link = `[${Number(first.slice(0, 4))}](${first})`;
    const superseded = parse('0009-a.md', page(`Status: superseded by ${link}. Subject: Jobs.`));
    assert.equal(superseded.supersededBy, Number(first.slice(0, 4)));
    for (const status of ['', 'Status: accepted.', 'Status: proposed. Subject: Jobs.'])
      assert.throws(() => parse('0009-a.md', page(status)), /has to begin with/);
    assert.throws(
      () => parse('0009-a.md', page('Status: superseded by [3](0003-no-such.md). Subject: Jobs.')),
      /does not exist/,
    );
  });
});
