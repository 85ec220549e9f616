import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JobRow } from '../../../db/models/job.js';
import { parseJob } from '../../../src/domain/job-model/job-type.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';

/** Rows of the table `job` as each release wrote them: a folder a release, a file a row. */
const ROWS = fileURLToPath(new URL('../../../../test/fixtures/job-rows/', import.meta.url));

function rowsOf(release: string): Map<string, JobRow> {
  const names = readdirSync(`${ROWS}${release}`).filter((name) => name.endsWith('.json'));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(`${ROWS}${release}/${name}`, 'utf8'))]));
}

describe('types of jobs', () => {
  const releases = readdirSync(ROWS);
  for (const release of releases) {
    const rows = rowsOf(release);
    for (const [name, row] of rows) {
      it(`read ${name} of release ${release}, and lose nothing of it`, () => {
        const { options, plan, jobType, kind } = parseJob(JOB_TYPES, row);
        // Options that later releases have added have their defaults.
        assert.deepEqual([Object.assign({}, options, row.options), plan], [options, row.plan]);
        assert.deepEqual([kind, jobType.kind], [row.kind, row.kind]);
      });
    }

    it(`each have a row of release ${release}`, () => {
      const kinds = new Set([...rows.values()].map(({ kind }) => kind));
      assert.deepEqual([...kinds].sort(), Object.keys(JOB_TYPES).sort());
    });
  }

  it('are found by the kind that a row carries', () => {
    for (const [kind, type] of Object.entries(JOB_TYPES)) assert.equal(type.kind, kind);
  });

  const row = rowsOf('0.1.0').get('items-csv-atomic.json') ?? assert.fail();

  it('say which jobs are atomic: files that are all or nothing, and not requests', () => {
    assert.equal(parseJob(JOB_TYPES, row).isAtomic, true);
    assert.equal(parseJob(JOB_TYPES, { ...row, input_file_id: null }).isAtomic, false);
    assert.equal(parseJob(JOB_TYPES, { ...row, options: { ...optionsOf(row), onError: 'skip' } }).isAtomic, false);
  });

  it('refuse what no release has written, and name the job', () => {
    const wrong: [Partial<JobRow>, RegExp][] = [
      [{ kind: 'unheard' }, /has a type that is not known here: unheard/],
      [{ type: 'ITEM_EXPORT' }, /\(item, ITEM_EXPORT\) is not of the type item/],
      [{ options: { ...optionsOf(row), mode: 'replace' } }, /the options of job .* cannot be read.*mode/s],
      [{ plan: { ordered: true } }, /the plan of job .* cannot be read.*source/s],
    ];
    for (const [columns, message] of wrong) {
      assert.throws(
        () => parseJob(JOB_TYPES, { ...row, ...columns }),
        (error: Error) => {
          assert.match(error.message, message);
          return error.message.includes(row.id);
        },
      );
    }
  });

  it('let an old job be cleared away though its plan cannot be read', () => {
    assert.deepEqual(JOB_TYPES.item?.storedKeys({ ...row, plan: 'torn' }), [`spools/${row.id}`]);
    assert.deepEqual(JOB_TYPES.export?.storedKeys({ id: 'x', plan: { attempt: 2 } }), ['exports/x-1', 'exports/x-2']);
  });
});

function optionsOf({ options }: JobRow): object {
  assert.ok(typeof options === 'object' && options !== null);
  return options;
}
