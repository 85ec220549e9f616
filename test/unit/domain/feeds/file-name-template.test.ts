/** The names of files of destinations. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fileNameOf, fileNameProblemOf } from '../../../../src/domain/feeds/model/file-name-template.js';
import { isSafeName } from '../../../../src/platform/remote/names.js';

const named = (over: object = {}) => ({
  ...{ at: new Date('2026-10-25T00:30:05Z'), timeZone: 'UTC', sequence: 7, content: 'DELTA' as const },
  ...over,
});

describe('the name of a file of a destination', () => {
  it('has the date and the time of its zone, its number and its content', () => {
    const template = '{date}_{time}_{sequence}_{content}.csv';
    assert.equal(fileNameOf(template, named()), '2026-10-25_00-30-05_000007_delta.csv');
    const berlin = named({ timeZone: 'Europe/Berlin', sequence: 1_234_567, content: 'WHOLE' });
    assert.equal(fileNameOf(template, berlin), '2026-10-25_02-30-05_1234567_whole.csv');
    const winter = named({ at: new Date('2026-10-25T01:30:05Z'), timeZone: 'Europe/Berlin' });
    assert.equal(fileNameOf('{time}', winter), '02-30-05');
    assert.equal(fileNameOf('{time}', named({ at: new Date('2026-01-01T00:00:00Z') })), '00-00-00');
  });

  it('stays in its folder, whatever the template is', () => {
    const piece = fc.constantFrom(
      '{date}',
      '{time}',
      '{sequence}',
      '{content}',
      '{x}',
      '{constructor}',
      '{toString}',
      '{',
      '}',
      '/',
      '..',
      '.',
      ' ',
      'a',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 6 }), (pieces) => {
        const template = pieces.join('');
        if (fileNameProblemOf(template) !== null) return;
        const name = fileNameOf(template, named());
        assert.ok(isSafeName(name) && !name.startsWith('.'), name);
        assert.doesNotMatch(name, /[{}*?]|\[object/);
      }),
    );
  });
});
